import { randomBytes } from 'node:crypto';
import { headerOf, type RawAnswer } from '../support/answer-parser.ts';
import { Connection, requestBytes, type Target } from '../support/connection.ts';

interface ChangerOptions {
  readonly target: Target;
  /** The prefix of every path. */
  readonly basePath: string;
  readonly adminToken: string;
  readonly project: string;
  readonly environment: string;
}

/** Creates its own flag and switches it on and off. Other flags of the instance are not changed. */
export class Changer {
  readonly #options: ChangerOptions;
  readonly #connection: Connection;
  readonly flag = `burgee-fleet-${randomBytes(4).toString('hex')}`;
  #isOn = false;
  #created = false;

  constructor(options: ChangerOptions) {
    this.#options = options;
    this.#connection = new Connection(options.target, { keepBodies: true });
  }

  /** Creates the flag. @throws Error with the instance's answer if the instance refuses */
  async create(): Promise<void> {
    const body = { name: this.flag, description: 'Made by a load script; deleted when it ends.' };
    await this.#ask('POST', this.#featuresPath(), body);
    this.#created = true;
  }

  /** Resolves with the revision that has the change; null when the instance does not send revisions. */
  async change(): Promise<number | null> {
    this.#isOn = !this.#isOn;
    const environment = encodeURIComponent(this.#options.environment);
    const path = `${this.#featuresPath()}/${this.flag}/environments/${environment}/${this.#isOn ? 'on' : 'off'}`;
    const answer = await this.#ask('POST', path);
    const revision = Number(headerOf(answer.head, 'burgee-revision'));
    return Number.isInteger(revision) ? revision : null;
  }

  /** Deletes the flag for good. */
  async remove(): Promise<void> {
    try {
      if (!this.#created) return;
      await this.#ask('DELETE', `${this.#featuresPath()}/${this.flag}`);
      await this.#ask('DELETE', `${this.#options.basePath}/api/admin/archive/${this.flag}`);
    } finally {
      this.#connection.close();
    }
  }

  #featuresPath(): string {
    return `${this.#options.basePath}/api/admin/projects/${encodeURIComponent(this.#options.project)}/features`;
  }

  async #ask(method: string, path: string, body?: unknown): Promise<RawAnswer> {
    const headers = {
      authorization: this.#options.adminToken,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const text = body === undefined ? '' : JSON.stringify(body);
    const answer = await this.#connection.ask(requestBytes(method, this.#options.target, path, headers, text));
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.body?.toString('utf8', 0, 300) ?? ''}`);
  }
}
