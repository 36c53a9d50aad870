import { assert } from '../../base/assert.ts';
import { pushAll } from '../../base/lists/push-all.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Work } from '../../base/work.ts';
import type { Limits } from '../../model/limits.ts';
import type { FewFlags } from '../../views/flags/changed-snapshot.ts';
import { besideLimits } from '../flags/rule-measures.ts';
import { presentEvaluation } from '../playground/present.ts';
import type { AffectedFlag } from './affected-flags.ts';
import { ComparedFlags, type Differences, KINDS } from './differences.ts';
import { PREVIEW_LIMITS } from './limits.ts';
import type { Trial } from './trial.ts';

/** Units of work in a millisecond (`base/work.ts`). */
const WORK_PER_MS = 50_000;

/** Maximum number of characters of all examples in an answer, approximately. */
const EXAMPLE_CHARS_MAX = 4_000_000;

/** Compares the results of all contexts before and after the changes. Returns the answer as pieces of JSON. */
export function* comparisonAnswer(trial: Trial, examplesMax: number, limits: Limits): Work<string[] | Rejection> {
  const { affected, contexts, revision, changes } = trial;
  yield* affected.before.compileAll();
  yield* affected.after.compileAll();
  const compared = new ComparedFlags(affected);
  const workMs = (compared.work(contexts.longestValue) * contexts.count) / WORK_PER_MS;
  if (workMs > PREVIEW_LIMITS.previewWork.max) return tooMuchWork(workMs);
  const differences = yield* compared.compare(contexts, examplesMax);
  if (differences instanceof Rejection) return differences;
  const examples = new Examples(trial);
  const pieces = [`${JSON.stringify({ revision, contexts: contexts.count, changes }).slice(0, -1)},"flags":[`];
  for (const [index, flag] of affected.flags.entries()) {
    const found = differences[index] as Differences;
    const head = {
      name: flag.name,
      project: flag.project,
      reason: flag.reason,
      counts: found.counts,
      staysOn: found.staysOn,
    };
    const texts = yield* examples.of(flag.name, found);
    const tail = { measures: measuresOf(flag, limits), warnings: warningsOf(flag, affected.after) };
    const start = `${index > 0 ? ',' : ''}${JSON.stringify(head).slice(0, -1)},"examples":[`;
    pieces.push(start);
    pushAll(pieces, texts);
    pieces.push(`],${JSON.stringify(tail).slice(1)}`);
  }
  pieces.push(`],"examplesLeftOut":${examples.leftOut}}`);
  return pieces;
}

function tooMuchWork(workMs: number): Rejection {
  return new Rejection(
    'PayloadTooLargeError',
    `The preview could take ${Math.ceil(workMs)} ms of evaluation; the maximum is ${PREVIEW_LIMITS.previewWork.max}. Send fewer contexts, or name fewer flags in the field features.`,
  );
}

/** Creates the examples of an answer as JSON, until they are too long. */
class Examples {
  leftOut = 0;
  readonly #trial: Trial;
  #chars = 0;

  constructor(trial: Trial) {
    this.#trial = trial;
  }

  /** The examples of one flag, with the commas between them. */
  *of(name: string, { examples }: Differences): Work<string[]> {
    const texts: string[] = [];
    for (const kind of KINDS) {
      for (const index of examples[kind]) {
        if (this.#chars > EXAMPLE_CHARS_MAX) {
          this.leftOut++;
          continue;
        }
        const text = yield* this.#example(name, kind, index);
        this.#chars += text.length;
        texts.push(texts.length > 0 ? `,${text}` : text);
      }
    }
    return texts;
  }

  *#example(name: string, kind: string, index: number): Work<string> {
    const { contexts, affected } = this.#trial;
    const before = yield* this.#result(affected.before, name, index);
    const after = yield* this.#result(affected.after, name, index);
    const context = JSON.stringify(contexts.sent(index));
    return `{"kind":"${kind}","context":${context},"before":${before},"after":${after}}`;
  }

  *#result({ cells, find }: FewFlags, name: string, index: number): Work<string> {
    const cell = cells.get(name);
    if (!cell) return 'null';
    const context = this.#trial.contexts.evaluated(index);
    assert(!(context instanceof Rejection), 'the context was evaluated before');
    const { fieldsJson } = yield* presentEvaluation(cell.compiled(), cell.feature, context, find);
    return `{${fieldsJson}}`;
  }
}

function measuresOf({ measures: { before, after } }: AffectedFlag, limits: Limits) {
  return besideLimits(limits, (name) => ({ before: before?.[name] ?? null, after: after?.[name] ?? null }));
}

function warningsOf({ name, dependencyWarnings }: AffectedFlag, { cells }: FewFlags) {
  const warnings = cells.get(name)?.flag?.warnings ?? [];
  return [...warnings, ...dependencyWarnings.map((message) => ({ strategyId: null, message }))];
}
