import { MemberName } from '../../base/json-bytes.ts';
import { COUNTED } from '../client/flag-reader.ts';
import { type BulkReport, BulkUses } from '../usage/reports/report.ts';
import { BulkMetricsBody } from '../usage/reports/schemas.ts';
import type { ReportText } from '../usage/reports/text.ts';

const MEMBERS = ['metrics', 'applications', 'impactMetrics'].map((name) => new MemberName(name));
const USE_MEMBERS = ['featureName', 'appName', 'environment', 'timestamp'].map((name) => new MemberName(name));

/** Of a use, as bits behind those of its counts. */
const FEATURE_NAME = 8;
const APP_NAME = 16;

/**
 * Reads what relays send as `ReportReader` reads what SDKs send: what was counted in one pass, the rest as all bodies are.
 *
 * One for all requests: what it has read is valid until the next `read`.
 */
export class BulkReader implements BulkReport {
  applications: BulkReport['applications'];
  impactMetrics: BulkReport['impactMetrics'];
  readonly uses = new BulkUses();

  readonly #text: ReportText;
  readonly #readAll = () => this.#bulk();
  readonly #takeMember = (place: number) => this.#member(place);

  constructor(text: ReportText) {
    this.#text = text;
  }

  /** Undefined: it is to be read as all bodies are. */
  read(body: Uint8Array): BulkReport | undefined {
    this.uses.clear();
    this.applications = undefined;
    this.impactMetrics = undefined;
    return this.#text.take(body, this.#readAll) ? this : undefined;
  }

  #bulk(): void {
    if (this.#text.json.enter()) this.#text.members(MEMBERS, this.#takeMember);
  }

  #member(place: number): void {
    if (place === 0) this.#uses();
    else if (place === 1) this.applications = this.#text.value(BulkMetricsBody.properties.applications);
    else this.impactMetrics = this.#text.value(BulkMetricsBody.properties.impactMetrics);
  }

  #uses(): void {
    const { json } = this.#text;
    if (json.isNull() || !json.enterList()) return;
    do this.#use();
    while (json.moreItems());
  }

  #use(): void {
    const text = this.#text;
    const { json, flags } = text;
    const { counts } = this.uses;
    let [flag, appName, environment, untilMs] = ['', '', null as string | null, Number.NaN];
    let [yes, no, seen] = [0, 0, 0];
    json.open();
    do {
      const counted = flags.member();
      const place = counted === 0 ? text.memberOf(USE_MEMBERS) : -1;
      if (counted === 0 && place < 0) {
        text.skipMember();
        continue;
      }
      const member = counted || FEATURE_NAME << place;
      if (seen & member) json.leave();
      seen |= member;
      if (member === COUNTED.yes) yes = flags.times();
      else if (member === COUNTED.no) no = flags.times();
      else if (member === COUNTED.variants) flags.variants(counts);
      else if (member === FEATURE_NAME) flag = flags.flagName();
      else if (member === APP_NAME) appName = text.text();
      else if (place === 2) environment = text.textOrNull();
      else untilMs = json.time();
    } while (json.more());
    if (flag === '' || appName === '') json.leave();
    counts.add(flag, yes, no);
    this.uses.of(appName, environment, untilMs);
  }
}
