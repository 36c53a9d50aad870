import { FlagCounts } from '../../actors/flag-counts.ts';
import { MemberName } from '../../base/json-bytes.ts';
import type { Report } from './report.ts';
import { ClientMetricsBody } from './report-schemas.ts';
import type { ReportText } from './report-text.ts';

/** The members of a report that are looked at; those behind them are texts, or null, of which nothing is wanted. */
const MEMBERS = [
  ...['appName', 'instanceId', 'connectionId', 'sdkVersion', 'bucket', 'impactMetrics'],
  ...['platformName', 'platformVersion', 'yggdrasilVersion', 'specVersion', 'sdkType', 'environment'],
  ...['sdkFlavor', 'sdkFlavorVersion', 'projectName'],
].map((name) => new MemberName(name));

const BUCKET_MEMBERS = ['start', 'stop', 'toggles'].map((name) => new MemberName(name));
const ALL_OF_BUCKET = 0b111;

/**
 * Reads a report as SDKs send it in one pass over its bytes: known members, each once, of the kinds that the schema asks for, and others. What they measure themselves
 * is parsed by itself, as all bodies are.
 *
 * One for all requests: what it has read is valid until the next `read`.
 */
export class ReportReader implements Report {
  appName = '';
  instanceId: string | null = null;
  connectionId: string | null = null;
  sdkVersion: string | null = null;
  impactMetrics: Report['impactMetrics'];
  untilMs: number | undefined;
  readonly counts = new FlagCounts();

  readonly #text: ReportText;
  readonly #readAll = () => this.#report();

  constructor(text: ReportText) {
    this.#text = text;
  }

  /** Undefined: it is to be read as all bodies are. */
  read(body: Uint8Array): Report | undefined {
    this.counts.clear();
    this.appName = '';
    this.instanceId = null;
    this.connectionId = null;
    this.sdkVersion = null;
    this.impactMetrics = undefined;
    this.untilMs = undefined;
    return this.#text.take(body, this.#readAll) && this.appName !== '' ? this : undefined;
  }

  #report(): void {
    const text = this.#text;
    const { json } = text;
    let seen = 0;
    json.open();
    do {
      const member = text.memberOf(MEMBERS);
      if (member < 0) {
        text.skipMember();
        continue;
      }
      if (seen & (1 << member)) json.leave();
      seen |= 1 << member;
      if (member === 0) this.appName = text.text();
      else if (member === 1) this.instanceId = text.textOrNull();
      else if (member === 2) this.connectionId = text.textOrNull();
      else if (member === 3) this.sdkVersion = text.textOrNull();
      else if (member === 4) this.#bucket();
      else if (member === 5) this.impactMetrics = text.value(ClientMetricsBody.properties.impactMetrics);
      else json.skipText();
    } while (json.more());
  }

  #bucket(): void {
    const text = this.#text;
    const { json } = text;
    if (json.isNull()) return;
    let seen = 0;
    json.open();
    do {
      const member = text.memberOf(BUCKET_MEMBERS);
      if (member < 0) {
        text.skipMember();
        continue;
      }
      if (seen & (1 << member)) json.leave();
      seen |= 1 << member;
      if (member === 0) json.time();
      else if (member === 1) this.untilMs = json.time();
      else text.flags.flags(this.counts);
    } while (json.more());
    if (seen !== ALL_OF_BUCKET) json.leave();
  }
}
