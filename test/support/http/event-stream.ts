import { expect } from 'vitest';

interface StreamEvent<Data> {
  readonly event: string;
  readonly id: string;
  readonly data: Data;
}

/** Server-sent events, read as the standard defines. */
export class EventStream<Data> {
  readonly events: StreamEvent<Data>[] = [];
  /** The time that the service asks clients to wait before they connect again. */
  retryMs: number | undefined;
  /** The newest id, also of a part without data, which a reader only notes. */
  lastId = '';
  ended = false;
  readonly headers: Headers;
  readonly #controller: AbortController;
  #wake = () => {};

  private constructor(answer: Response, controller: AbortController) {
    this.headers = answer.headers;
    this.#controller = controller;
    void this.#read(answer.body as ReadableStream<Uint8Array>).finally(() => {
      this.ended = true;
      this.#wake();
    });
  }

  static async open<Data>(url: string, headers: Readonly<Record<string, string>>): Promise<EventStream<Data>> {
    const controller = new AbortController();
    const answer = await fetch(url, { headers, signal: controller.signal });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    return new EventStream<Data>(answer, controller);
  }

  get last(): StreamEvent<Data> {
    return this.events.at(-1) as StreamEvent<Data>;
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      expect(this.ended, 'the stream has ended').toBe(false);
      await this.#next();
    }
  }

  async end(): Promise<void> {
    while (!this.ended) await this.#next();
  }

  close(): void {
    this.#controller.abort();
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const bytes of body) {
        text += decoder.decode(bytes, { stream: true });
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          this.#take(text.slice(0, end).split('\n'));
          text = text.slice(end + 2);
        }
        this.#wake();
      }
    } catch {
      // The test or the service closed the stream.
    }
  }

  #take(lines: readonly string[]): void {
    const fields = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
    );
    if (fields.has('retry')) this.retryMs = Number(fields.get('retry'));
    this.lastId = fields.get('id') ?? this.lastId;
    const data = fields.get('data');
    if (data === undefined) return;
    const event = fields.get('event') ?? '';
    // The only event whose data is not JSON.
    const content = event === 'fetch-mode' ? data : JSON.parse(data);
    this.events.push({ event, id: fields.get('id') ?? '', data: content });
  }
}
