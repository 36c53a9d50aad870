import { api, stated, write } from '../../data/client.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { isProduction, useEnvironments, useProjectEnvironments, useReviews } from '../../data/settings.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Checkbox } from '../../kit/Checkbox.tsx';
import { EnvironmentMark } from '../../kit/EnvironmentMark.tsx';
import { Select } from '../../kit/Select.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { useWrite, type Writing } from '../../save/use-write.ts';
import { projects as words } from '../../words/en/projects.ts';
import styles from './Project.module.css';

const APPROVALS = Array.from({ length: 10 }, (_, index) => ({ value: String(index + 1), label: String(index + 1) }));

interface RowProps {
  readonly project: string;
  readonly name: string;
  readonly isProduction: boolean;
  readonly isThere: boolean;
  readonly review: { readonly changeRequestEnabled: boolean; readonly requiredApprovals: number | null } | undefined;
  readonly mayNot: MayNot;
  readonly writing: Writing;
}

function Row({ project, name, isProduction, isThere, review, mayNot, writing }: RowProps) {
  const setThere = (environment: string, on: boolean) => {
    const path = { projectId: project };
    return writing.run(
      () =>
        on
          ? write<unknown>(
              api.POST('/api/admin/projects/{projectId}/environments', {
                params: { path },
                headers: stated({}),
                body: { environment },
              }),
            )
          : write<unknown>(
              api.DELETE('/api/admin/projects/{projectId}/environments/{environment}', {
                params: { path: { ...path, environment } },
              }),
            ),
      on ? words.environmentAdded(environment) : words.environmentRemoved(environment),
    );
  };
  const setReview = (environment: string, on: boolean, approvals: number) =>
    writing.run(
      () =>
        write(
          api.PUT('/api/admin/projects/{projectId}/environments/{environment}/change-requests/config', {
            params: { path: { projectId: project, environment } },
            body: { changeRequestsEnabled: on, requiredApprovals: approvals },
          }),
        ),
      on ? words.reviewOn(environment, approvals) : words.reviewOff(environment),
    );
  return (
    <li className={styles.item}>
      <Checkbox
        label={
          <EnvironmentMark name={name} production={isProduction} protected={review?.changeRequestEnabled ?? false} />
        }
        checked={isThere}
        reason={mayNot}
        onChange={(on) => void setThere(name, on)}
      />
      {isThere && review && (
        <Checkbox
          label={words.needsReview}
          checked={review.changeRequestEnabled}
          reason={mayNot}
          onChange={(on) => void setReview(name, on, review.requiredApprovals ?? 1)}
        />
      )}
      {isThere && review?.changeRequestEnabled && (
        <span className={styles.small}>
          <Select
            size="small"
            label={`${words.approvals}: ${name}`}
            options={APPROVALS.map((option) => ({ ...option, reason: mayNot }))}
            value={String(review.requiredApprovals ?? 1)}
            onChange={(count) => void setReview(name, true, Number(count))}
          />
          {words.approvals}
        </span>
      )}
    </li>
  );
}

/** Which environments the project has, and where changes need a review. */
export function ProjectEnvironments({ project }: { readonly project: string }) {
  const { data: all } = useEnvironments();
  const { data: own } = useProjectEnvironments(project);
  const { data: reviews } = useReviews(project);
  const mayNot = useMay('UPDATE_PROJECT', project);
  const writing = useWrite();
  if (!all || !own || !reviews) return <Skeleton shape="rows" rows={3} />;

  const present = new Set(own.map(({ name }) => name));
  return (
    <div className={styles.settings}>
      <p className={styles.quiet}>{words.environmentsHint}</p>
      <ul className={styles.list}>
        {all.map(({ name, type }) => {
          const review = reviews.find(({ environment }) => environment === name);
          const isThere = present.has(name) && (own.find((one) => one.name === name)?.visible ?? true);
          return (
            <Row
              key={name}
              project={project}
              name={name}
              isProduction={isProduction(type)}
              isThere={isThere}
              review={review}
              mayNot={mayNot}
              writing={writing}
            />
          );
        })}
      </ul>
      {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
    </div>
  );
}
