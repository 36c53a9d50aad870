import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { applicationsQuery } from '../data/applications.ts';
import { useContextFields } from '../data/settings.ts';
import type { Constraint } from '../domain/model.ts';
import { same } from '../domain/same.ts';
import { namesApplications, unknownNames } from '../domain/unknown-names.ts';
import { Banner } from '../kit/notices/Banner.tsx';
import { unknownNames as words } from '../words/en/contexts.ts';
import { Words } from './Words.tsx';

const NONE: readonly Constraint[] = [];

interface UnknownNamesProps {
  readonly constraints: readonly Constraint[];
  /** Those that were there before the change: they have no warning in its review. */
  readonly before?: readonly Constraint[];
}

/** Warns of context fields that are not defined, and of applications that never registered: where they are typed, and in the review. */
export function UnknownNames({ constraints, before = NONE }: UnknownNamesProps) {
  const { data: fields } = useContextFields();
  const added = useMemo(
    () => constraints.filter((one) => !before.some((other) => same(one, other))),
    [constraints, before],
  );
  const { data: applications } = useQuery({ ...applicationsQuery, enabled: namesApplications(added) });
  const registered = useMemo(() => applications && new Set(applications.map(({ appName }) => appName)), [applications]);
  const unknown = unknownNames(added, fields, registered);
  const texts = [
    ...unknown.fields.map(words.unknownField),
    ...(unknown.applications.length > 0 ? [words.unknownApplications(unknown.applications)] : []),
  ];
  return texts.map((text) => (
    <Banner key={text} tone="warn">
      <Words text={text} />
    </Banner>
  ));
}
