// The view library (Preact with htm templates): all imports of it go through this file.
export { html, render } from 'htm/preact';
export type { ComponentChildren, RefObject, VNode } from 'preact';
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
