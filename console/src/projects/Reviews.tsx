import type { components } from '../api/schema.d.ts';
import { api, stated, write } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { useMay } from '../data/may.ts';
import { isProduction, useReviews } from '../data/settings.ts';
import { Checkbox } from '../kit/inputs/Checkbox.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { Switch } from '../kit/inputs/Switch.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import styles from '../parts/parts.module.css';
import { useQuickWrite } from '../save/use-write.ts';
import { projects } from '../words/en/projects.ts';
import own from './Reviews.module.css';

const words = projects.env;
type Environment = Pick<components['schemas']['projectEnvironment'], 'name' | 'type'>;

export interface AskedReview {
  readonly kind: 'reviewOn' | 'reviewOff';
  readonly environment: Environment;
}

/** What can be asked of an environment. */
export const reviewsOf = (environment: Environment): AskedReview[] => [
  { kind: 'reviewOn', environment },
  { kind: 'reviewOff', environment },
];
/** The question in an address. */
export const reviewKey = ({ kind, environment }: AskedReview) => `${kind}~${environment.name}`;

const APPROVALS_MAX = 10;
const MAY_SET = ['UPDATE_PROJECT', 'PROJECT_CHANGE_REQUEST_WRITE'] as const;

const setReview = (
  project: string,
  environment: string,
  changeRequestsEnabled: boolean,
  settings: { readonly requiredApprovals?: number; readonly safeguardsSkipReview?: boolean },
  reason: string,
) =>
  write(
    api.PUT('/api/admin/projects/{projectId}/environments/{environment}/change-requests/config', {
      params: { path: { projectId: project, environment } },
      headers: stated({ reason }),
      body: { changeRequestsEnabled, ...settings },
    }),
  );

export function ConfirmReview({
  project,
  asked,
  onClose,
}: {
  readonly project: string;
  readonly asked: AskedReview;
  readonly onClose: () => void;
}) {
  const { name, type } = asked.environment;
  const isOn = asked.kind === 'reviewOn';
  const mayNot = useMay(MAY_SET, project);
  return (
    <ConfirmDialog<unknown>
      production={isProduction(type)}
      mayNot={mayNot}
      title={words.reviewTitle(name)}
      sentences={[isOn ? words.reviewOnEffect(name) : words.reviewOffEffect(name)]}
      label={isOn ? words.demand : words.stop}
      act={(reason) => setReview(project, name, isOn, { requiredApprovals: 1 }, reason)}
      saved={{
        canUndo: true,
        text: isOn ? words.reviewOn(name) : words.reviewOff(name),
        refresh: [keys.project(project), keys.projects],
      }}
      onClose={onClose}
    />
  );
}

interface ReviewsOfProps {
  readonly project: string;
  readonly environment: Environment;
  readonly onAsk: (kind: 'reviewOn' | 'reviewOff') => void;
}

/** Whether changes in an environment of a project need a review, and how many approvals. */
export function ReviewsOf({ project, environment: { name, type }, onAsk }: ReviewsOfProps) {
  const { data: reviews } = useReviews(project);
  const { run, isPending } = useQuickWrite();
  const mayNot = useMay(MAY_SET, project);
  const review = reviews?.find((one) => one.environment === name);
  const isOn = review?.changeRequestEnabled ?? false;
  const count = review?.requiredApprovals ?? 1;
  const setCount = (next: number) =>
    void run<unknown>(() => setReview(project, name, true, { requiredApprovals: next }, ''), {
      text: words.approvalsSet(name, next),
      refresh: [keys.project(project)],
    });
  const setSafeguards = (safeguardsSkipReview: boolean) =>
    void run<unknown>(() => setReview(project, name, true, { safeguardsSkipReview }, ''), {
      text: safeguardsSkipReview ? words.safeguardsAlone(name) : words.safeguardsAsk(name),
      refresh: [keys.project(project)],
    });
  return (
    <div className={own.review}>
      <span className={styles.quiet}>{words.review}</span>
      <Switch
        does="asks"
        guarded={isProduction(type)}
        checked={isOn}
        label={words.reviewIn(name)}
        reason={mayNot}
        pending={isPending}
        onChange={(on) => onAsk(on ? 'reviewOn' : 'reviewOff')}
      />
      {isOn && mayNot === undefined && (
        <div className={styles.grow}>
          <Select
            size="small"
            label={words.approvalsIn(name)}
            value={String(count)}
            onChange={(value) => setCount(Number(value))}
            options={Array.from({ length: APPROVALS_MAX }, (_, index) => ({
              value: String(index + 1),
              label: words.needed(index + 1),
            }))}
          />
        </div>
      )}
      {isOn && (
        <Checkbox
          checked={review?.safeguardsSkipReview ?? false}
          label={words.safeguardsIn(name)}
          reason={mayNot}
          onChange={setSafeguards}
        />
      )}
      {isOn && mayNot !== undefined && <span className={styles.quiet}>{words.needed(count)}</span>}
    </div>
  );
}
