import { MemberName } from '../../../base/json-bytes.ts';
import { FlagCounts } from '../flag-counts.ts';
import type { Report } from './report.ts';
import { ClientMetricsBody } from './schemas.ts';
import type { ReportText } from './text.ts';

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
  // Made once, not for each report.
  readonly #takeMember = (place: number) => this.#member(place);
  readonly #takeOfBucket = (place: number) => this.#memberOfBucket(place);

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
    this.#text.json.open();
    this.#text.members(MEMBERS, this.#takeMember);
  }

  #member(place: number): void {
    const text = this.#text;
    if (place === 0) this.appName = text.text();
    else if (place === 1) this.instanceId = text.textOrNull();
    else if (place === 2) this.connectionId = text.textOrNull();
    else if (place === 3) this.sdkVersion = text.textOrNull();
    else if (place === 4) this.#bucket();
    else if (place === 5) this.impactMetrics = text.value(ClientMetricsBody.properties.impactMetrics);
    else text.json.skipText();
  }

  #bucket(): void {
    const { json } = this.#text;
    if (json.isNull()) return;
    json.open();
    if (this.#text.members(BUCKET_MEMBERS, this.#takeOfBucket) !== ALL_OF_BUCKET) json.leave();
  }

  #memberOfBucket(place: number): void {
    const { json, flags } = this.#text;
    if (place === 0) json.time();
    else if (place === 1) this.untilMs = json.time();
    else flags.flags(this.counts);
  }
}
