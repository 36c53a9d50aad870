import { useQueries } from '@tanstack/react-query';
import { useMayIn } from '../data/may.ts';
import type { ReviewPlace } from '../data/save.ts';
import { reviewsQuery } from '../data/settings.ts';
import type { HistoryChange } from '../domain/model.ts';

interface SkippableReview {
  /** The first environment of the changes that asks for a review which the person may skip. */
  readonly place: ReviewPlace | null;
  /** What is not known yet decides whether the undo is a save or a request. */
  readonly isKnown: boolean;
}

/** The preview of an undo reports only reviews that the person must not skip. The others are found by the settings of the projects. */
export function useSkippableReview(changes: readonly HistoryChange[]): SkippableReview {
  const mayNot = useMayIn();
  const places = changes.flatMap(({ type, kind, project, environment }) =>
    type === 'feature' &&
    kind === 'changed' &&
    project !== null &&
    environment !== null &&
    mayNot('SKIP_CHANGE_REQUEST', project, environment) === undefined
      ? [{ project, environment }]
      : [],
  );
  const projects = [...new Set(places.map(({ project }) => project))];
  const answers = useQueries({ queries: projects.map(reviewsQuery) });
  const place = places.find(({ project, environment }) =>
    answers[projects.indexOf(project)]?.data?.some(
      (one) => one.environment === environment && one.changeRequestEnabled,
    ),
  );
  return { place: place ?? null, isKnown: answers.every(({ isPending }) => !isPending) };
}
