import { headText, labelText, sampleText } from '../../base/prometheus-text.ts';
import { shortened } from '../../base/shortened.ts';
import type { AppliedCommit } from '../../state/state.ts';
import { sdkVersionOf } from './sdk-version.ts';

/** Maximum number of names of each kind. Further names are only counted. */
const NAMES_MAX = 2_000;
const LABEL_LENGTH_MAX = 100;
/** Maximum length of the reported text, which consists of the SDK's name and version. */
const SDK_LENGTH_MAX = 2 * LABEL_LENGTH_MAX + 1;

type Labels = readonly (readonly [name: string, value: string])[];

/** Which projects and flags may appear in the metrics. */
export interface NamedThings {
  project(id: string): boolean;
  flag(name: string): boolean;
}

/** How often each flag was changed. An addition is made for every commit, so labels are built only when the metrics are read. */
class Updates {
  readonly #projects = new Map<string, Map<string, number>>();
  #size = 0;
  dropped = 0;

  add(project: string, flag: string): void {
    let counts = this.#projects.get(project);
    const before = counts?.get(flag);
    if (before === undefined && this.#size >= NAMES_MAX) {
      this.dropped++;
      return;
    }
    if (!counts) {
      counts = new Map();
      this.#projects.set(project, counts);
    }
    if (before === undefined) this.#size++;
    counts.set(flag, (before ?? 0) + 1);
  }

  /** Called when the project was deleted. Whether it was private is no longer known, so its names must not be shown again. */
  forget(project: string): void {
    this.#size -= this.#projects.get(project)?.size ?? 0;
    this.#projects.delete(project);
  }

  /** In pieces, one step of a slice for each. */
  *texts(named: NamedThings): Generator<string, void, void> {
    const name = 'feature_toggle_update_total';
    yield headText(name, 'How often flags were changed', 'counter');
    for (const [project, counts] of this.#projects) {
      if (!named.project(project)) continue;
      for (const [toggle, count] of counts)
        yield sampleText(name, labelText(Object.entries({ toggle, project })), count);
    }
  }
}

/** How often something happened, by labels. */
class Tallies {
  readonly #name: string;
  readonly #help: string;
  readonly #counts = new Map<string, { readonly flag: string | null; times: number }>();
  dropped = 0;

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  /** `flag`: the flag that the labels name, if any. */
  add(labels: Labels, times: number, flag: string | null = null): void {
    const key = labelText(labels.map(([name, value]) => [name, shortened(value, LABEL_LENGTH_MAX)]));
    const before = this.#counts.get(key);
    if (before) before.times += times;
    else if (this.#counts.size >= NAMES_MAX) this.dropped++;
    else this.#counts.set(key, { flag: flag === null ? null : shortened(flag, LABEL_LENGTH_MAX), times });
  }

  /** In pieces, one step of a slice for each. */
  *texts(named: NamedThings): Generator<string, void, void> {
    yield headText(this.#name, this.#help, 'counter');
    for (const [labels, { flag, times }] of this.#counts)
      if (flag === null || named.flag(flag)) yield sampleText(this.#name, labels, times);
  }
}

/** How often flags were changed and used since the process started, and by which SDKs, under the metric names that users of Unleash know. Bounded. */
export class FlagStats {
  readonly #updates = new Updates();
  readonly #uses = new Tallies(
    'feature_toggle_usage_total',
    'How often flags were on and off, as reported to this process',
  );
  readonly #sdks = new Tallies('client_sdk_versions', 'SDKs that registered with this process');

  /** Number of names that exceeded the limit. */
  get dropped(): number {
    return this.#updates.dropped + this.#uses.dropped + this.#sdks.dropped;
  }

  /** Called for every applied commit. A commit that changes very many flags does not list them, so these changes are not counted. */
  apply({ changes, bulk }: AppliedCommit): void {
    for (const change of bulk?.others ?? changes) {
      if (change.collection === 'projects' && !change.after) this.#updates.forget(change.key);
      if (change.collection !== 'features') continue;
      const feature = change.after ?? change.before;
      if (!feature) continue;
      this.#updates.add(feature.project, feature.name);
    }
  }

  /** Adds an application's uses of a flag. */
  used(flag: string, appName: string, environment: string, times: { readonly yes: number; readonly no: number }): void {
    const labels = (active: string): Labels => [
      ['toggle', flag],
      ['active', active],
      ['appName', appName],
      ['environment', environment],
    ];
    if (times.yes > 0) this.#uses.add(labels('true'), times.yes, flag);
    if (times.no > 0) this.#uses.add(labels('false'), times.no, flag);
  }

  /** Adds an SDK that registered: `<name>:<version>`, as it reported. */
  registered(sdk: string): void {
    if (sdk === '') return;
    const { name, version } = sdkVersionOf(shortened(sdk, SDK_LENGTH_MAX));
    this.#sdks.add(
      [
        ['sdk_name', name],
        ['sdk_version', version],
      ],
      1,
    );
  }

  *texts(named: NamedThings): Generator<string, void, void> {
    yield* this.#updates.texts(named);
    yield* this.#uses.texts(named);
    yield* this.#sdks.texts(named);
  }
}
