import { ask } from './service-client.ts';
import { ProgramError } from './subcommand.ts';

/** A large import takes minutes. */
const TIMEOUT_MS = 300_000;

/** The result for one object. */
export interface Outcome {
  readonly kind: string;
  readonly name: string;
  readonly result: 'made' | 'changed' | 'as it is' | 'refused';
  /** Why it was refused. */
  readonly reason?: string;
}

/** A running Unleash or Burgee into which an export is imported, and the result for each object. */
export class ImportTarget {
  readonly outcomes: Outcome[] = [];
  readonly #address: string;
  readonly #token: string;
  readonly #report: (outcome: Outcome) => void;

  constructor(address: string, token: string, report: (outcome: Outcome) => void) {
    this.#address = address;
    this.#token = token;
    this.#report = report;
  }

  /** The entries of a list of the target; empty if the list does not exist. @throws ProgramError when the target refuses the list. */
  async list<Item>(path: string, key: string | null): Promise<readonly Item[]> {
    const { status, text } = await ask(this.#address, path, { token: this.#token });
    if (status === 401 || status === 403) {
      throw new ProgramError(`${this.#address} refuses the token: ${status} ${reasonOf(text)}`);
    }
    if (status !== 200) return [];
    const body = JSON.parse(text) as Record<string, readonly Item[]> | readonly Item[];
    return (key === null ? body : (body as Record<string, readonly Item[]>)[key]) as readonly Item[];
  }

  /** Reads one object of the target; empty if the path does not exist. */
  async read(path: string): Promise<Readonly<Record<string, unknown>>> {
    const { status, text } = await ask(this.#address, path, { token: this.#token });
    return status === 200 ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : {};
  }

  /** Sends a change and records the result. True when the target accepted it. */
  async send(kind: string, name: string, change: Change): Promise<boolean> {
    const { method, path, body, result = 'made', reasonWithoutPath } = change;
    const { status, text } = await ask(this.#address, path, {
      method,
      token: this.#token,
      body,
      timeoutMs: TIMEOUT_MS,
    });
    const isAccepted = status < 300;
    for (const leftOut of isAccepted ? warningsOf(text) : [])
      this.note({ kind, name, result: 'refused', reason: leftOut });
    const reason = `${status} ${status === 404 && reasonWithoutPath !== undefined ? reasonWithoutPath : reasonOf(text)}`;
    this.note(isAccepted ? { kind, name, result } : { kind, name, result: 'refused', reason });
    return isAccepted;
  }

  note(outcome: Outcome): void {
    this.outcomes.push(outcome);
    this.#report(outcome);
  }
}

interface Change {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: unknown;
  readonly result?: 'made' | 'changed';
  /** The reason to report if the target does not have the path. */
  readonly reasonWithoutPath?: string;
}

const REASON_CHARACTERS = 400;

/** What an accepted import of flags left out. Only Burgee answers with this. */
function warningsOf(text: string): string[] {
  if (!text.startsWith('{')) return [];
  const { warnings } = JSON.parse(text) as { warnings?: unknown };
  if (!Array.isArray(warnings)) return [];
  return warnings.map(({ message, affectedItems }: { message: string; affectedItems: readonly string[] }) =>
    `${message} ${affectedItems.join(', ')}`.slice(0, REASON_CHARACTERS),
  );
}

/** The message and details of an error; both services use the same format. */
function reasonOf(text: string): string {
  try {
    const { message = '', details = [] } = JSON.parse(text) as { message?: string; details?: { message?: string }[] };
    const parts = [message, ...details.map((detail) => detail.message ?? '')];
    return [...new Set(parts.filter((part) => part !== ''))].join(' ').slice(0, REASON_CHARACTERS);
  } catch {
    return text.slice(0, REASON_CHARACTERS);
  }
}
