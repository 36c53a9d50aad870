export interface Step {
  readonly instruction: string;
  readonly text: string;
  readonly words: {
    readonly plain: readonly string[];
    readonly flags: Readonly<Record<string, string>>;
    readonly pairs: Readonly<Record<string, string>>;
  };
  readonly json: readonly string[] | undefined;
}

export interface Stage {
  readonly from: string;
  readonly name: string;
  readonly steps: readonly Step[];
}

export function readDockerfile(text: string): Stage[];
export function ignoredBy(text: string): (path: string, isFolder: boolean) => boolean;
