// What a program does beside computing and reading.
import type { Json } from '../../../../kernel/json.ts';

/** What is sent with a request, or stands beside its address. */
export interface Sent {
  readonly text: string;
  /** A part of it is only known when the program runs. */
  readonly isOpen: boolean;
  /** Not even its shape is known. */
  readonly isUnseen: boolean;
}

/** What a call does whose name as one of a tool tells nothing: it loads a module, reads, may be a method of a text or a list, or takes a function. */
export type Otherwise = 'loads' | 'reads' | 'computes' | 'defines';

/** What is done, with texts that may have gaps. */
export type Deed =
  | {
      readonly kind: 'write';
      readonly paths: readonly string[];
      readonly isEmptied: boolean;
      readonly isFolder: boolean;
    }
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly urls: readonly string[];
      readonly query: Sent;
      readonly headers: Sent;
      readonly body: Sent;
    }
  /** A call of something that the program does not define, by the names that it may have: it is read as the call of a tool is. */
  | {
      readonly kind: 'tool';
      readonly names: readonly string[];
      readonly given: Json;
      /** Where its arguments come from that the program does not define. */
      readonly sources: readonly string[];
      /** By its name, or by `new`, it makes an object of a class. */
      readonly makesObject: boolean;
      readonly otherwise: Otherwise | undefined;
    }
  | { readonly kind: 'command'; readonly lines: readonly string[] }
  /** `isKept`: of a database that is not only in memory. */
  | { readonly kind: 'query'; readonly statements: readonly string[]; readonly isKept: boolean };

/** What is known of all of a program that its deeds depend on. */
export interface Surroundings {
  readonly texts: readonly string[];
  /** Files that it reads, and folders whose files it goes through. */
  readonly read: ReadonlySet<string>;
  readonly walked: ReadonlySet<string>;
}

/** What a program does beside computing and reading. */
export interface Act {
  /** The names before the parenthesis of a call: `os.remove`. Empty for what is not understood. */
  readonly path: readonly string[];
  readonly arguments: string;
  readonly at: number;
  readonly end: number;
  /** A function of a library of which some functions are listed, and not this one. */
  readonly isOfListed?: boolean;
  /** What it does, where that is known. */
  readonly deed?: Deed | undefined;
}
