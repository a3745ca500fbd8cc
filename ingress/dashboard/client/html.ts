// The one way in to the view library: templates, hooks and rendering.
export { html, render } from 'htm/preact';
export type { ComponentChildren, RefObject, VNode } from 'preact';
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
