import type { Rejection } from '../base/rejection.ts';
import type { AnyEndpoint, Protocol } from './endpoint.ts';
import { type EncodedAnswer, encodeRejection } from './sending/encoded-answer.ts';

/** Answers requests without a route in the form of the protocol to which their path belongs. */
export class ProtocolPaths {
  /** Protocol → its paths without parameters. */
  readonly #protocols = new Map<Protocol, Set<string>>();
  readonly #basePath: string;

  constructor(endpoints: readonly AnyEndpoint<never>[], basePath: string) {
    this.#basePath = basePath;
    for (const endpoint of endpoints) {
      const protocol = endpoint.kind === 'handled' ? endpoint.protocol : undefined;
      if (!protocol) continue;
      const paths = this.#protocols.get(protocol) ?? new Set();
      this.#protocols.set(protocol, paths.add(endpoint.path));
    }
  }

  /** 405 if the path exists for another method, else the refusal in the form of the protocol. Undefined: the path belongs to no protocol. */
  answerTo(url: string, method: string, refusal: Rejection): EncodedAnswer | undefined {
    if (!url.startsWith(this.#basePath)) return undefined;
    const path = url.slice(this.#basePath.length).replace(/\/$/, '');
    for (const [protocol, paths] of this.#protocols) {
      if (!path.startsWith(protocol.below)) continue;
      if (!paths.has(path) || refusal.name !== 'NotFoundError') return encodeRejection(refusal, {}, protocol);
      const text = JSON.stringify(protocol.wrongMethodBody(method));
      return { status: 405, headers: { 'content-type': protocol.mediaType }, text, pieces: undefined };
    }
    return undefined;
  }
}
