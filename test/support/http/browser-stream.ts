import { EventStream } from './event-stream.ts';

export interface Toggle {
  readonly name: string;
  readonly variant: { readonly name: string };
}

/** What `/api/frontend/streaming` sends in an event. */
interface AnswerEvent {
  readonly connection?: string;
  readonly toggles: readonly Toggle[];
  readonly removed?: readonly string[];
}

/** A browser that follows `/api/frontend/streaming` and keeps the answers that it was sent. */
export class BrowserStream {
  readonly stream: EventStream<AnswerEvent>;
  readonly #answers = new Map<string, Toggle>();
  #taken = 0;
  #connection = '';

  private constructor(stream: EventStream<AnswerEvent>) {
    this.stream = stream;
  }

  static async open(
    url: string,
    query: string,
    headers: Readonly<Record<string, string>>,
    known?: BrowserStream,
  ): Promise<BrowserStream> {
    const resumed = known && { 'last-event-id': known.stream.last.id };
    const stream = await EventStream.open<AnswerEvent>(`${url}/api/frontend/streaming?${query}`, {
      ...headers,
      ...resumed,
    });
    const opened = new BrowserStream(stream);
    for (const toggle of known?.toggles ?? []) opened.#answers.set(toggle.name, toggle);
    return opened;
  }

  /** The flags that are on, by name. */
  get toggles(): readonly Toggle[] {
    this.#take();
    return [...this.#answers.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  get names(): readonly string[] {
    return this.toggles.map(({ name }) => name);
  }

  get connection(): string {
    this.#take();
    return this.#connection;
  }

  until(isSo: () => boolean): Promise<void> {
    return this.stream.until(isSo);
  }

  close(): void {
    this.stream.close();
  }

  #take(): void {
    for (const { event, data } of this.stream.events.slice(this.#taken)) {
      this.#taken++;
      this.#connection = data.connection ?? this.#connection;
      if (event === 'unleash-connected') this.#answers.clear();
      for (const toggle of data.toggles) this.#answers.set(toggle.name, toggle);
      for (const name of data.removed ?? []) this.#answers.delete(name);
    }
  }
}
