import type { JSONRPCMessage, JSONRPCRequest, Transport } from '@modelcontextprotocol/server';

/**
 * The transport of one HTTP request of a client that speaks a revision before 2026-07-28: one message in, one message out. There are no sessions, so a server with this transport exists only as long as the
 * request.
 */
export class OneMessage implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  #answer: ((message: JSONRPCMessage) => void) | undefined;
  #id: JSONRPCRequest['id'] | undefined;

  async start(): Promise<void> {}

  /** The server's response to the request. */
  answerTo(request: JSONRPCRequest): Promise<JSONRPCMessage> {
    return new Promise((resolve, reject) => {
      this.#id = request.id;
      this.#answer = resolve;
      this.onerror = reject;
      this.onmessage?.(request);
    });
  }

  /** Other messages than the response, such as notifications, cannot be sent to a client that waits for one JSON document. */
  async send(message: JSONRPCMessage): Promise<void> {
    const isResponse = 'result' in message || 'error' in message;
    if (isResponse && message.id === this.#id) this.#answer?.(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
