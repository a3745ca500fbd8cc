// The files of the repository that are made from the code: the code is the truth, the file is for those who read files.
import { policySchemaText } from '../../shared/policy/schema.ts';

export interface GeneratedFile {
  /** Path below the root of the repository. */
  readonly file: string;
  /** The whole content that the code gives now. */
  readonly content: () => string | Promise<string>;
}

export const GENERATED_FILES: readonly GeneratedFile[] = [
  { file: 'policies/schema/policy.schema.json', content: policySchemaText },
];
