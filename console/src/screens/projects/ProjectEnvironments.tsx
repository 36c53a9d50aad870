import { useState } from 'react';
import type { components } from '../../api/schema.d.ts';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { isProduction, useProjectEnvironments, useReviews } from '../../data/settings.ts';
import { EnvironmentMark } from '../../kit/EnvironmentMark.tsx';
import { Select } from '../../kit/Select.tsx';
import { Switch } from '../../kit/Switch.tsx';
import { projects } from '../../words/en/projects.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import styles from '../parts/parts.module.css';
import { useQuickWrite } from '../parts/use-write.ts';

const words = projects.env;
type Environment = components['schemas']['projectEnvironment'];
type Asked = { readonly kind: 'remove' | 'reviewOn' | 'reviewOff'; readonly environment: Environment };

const APPROVALS_MAX = 10;

const setReview = (project: string, environment: string, changeRequestsEnabled: boolean, requiredApprovals: number, reason: string) =>
  write(
    api.PUT('/api/admin/projects/{projectId}/environments/{environment}/change-requests/config', {
      params: { path: { projectId: project, environment } },
      headers: stated({ reason }),
      body: { changeRequestsEnabled, requiredApprovals },
    }),
  );

function Confirm({ project, asked, onClose }: { readonly project: string; readonly asked: Asked; readonly onClose: () => void }) {
  const { name, type } = asked.environment;
  const refresh = [keys.project(project), keys.projects];
  const shared = { production: isProduction(type), onClose };
  if (asked.kind === 'remove') {
    return (
      <ConfirmDialog<unknown>
        {...shared}
        danger
        title={words.removeTitle(name, project)}
        sentences={words.removeEffects(name, project)}
        label={projects.access.remove.split(' ')[0] ?? ''}
        act={(reason) =>
          write(
            api.DELETE('/api/admin/projects/{projectId}/environments/{environment}', {
              params: { path: { projectId: project, environment: name } },
              headers: stated({ reason }),
            }),
          )
        }
        saved={{ text: words.removed(name), refresh }}
      />
    );
  }
  const isOn = asked.kind === 'reviewOn';
  return (
    <ConfirmDialog<unknown>
      {...shared}
      title={words.reviewTitle(name)}
      sentences={[isOn ? words.reviewOnEffect(name) : words.reviewOffEffect(name)]}
      label={isOn ? words.demand : words.stop}
      act={(reason) => setReview(project, name, isOn, 1, reason)}
      saved={{ text: isOn ? words.reviewOn(name) : words.reviewOff(name), refresh }}
    />
  );
}

interface ReviewsOfProps {
  readonly project: string;
  readonly environment: Pick<Environment, 'name' | 'type'>;
  readonly onAsk: (kind: 'reviewOn' | 'reviewOff') => void;
}

/** Whether changes in an environment of a project need a review, and how many approvals. */
export function ReviewsOf({ project, environment: { name }, onAsk }: ReviewsOfProps) {
  const { data: reviews } = useReviews(project);
  const { run, isPending } = useQuickWrite();
  const mayNot = useMay(['UPDATE_PROJECT', 'PROJECT_CHANGE_REQUEST_WRITE'], project);
  const review = reviews?.find((one) => one.environment === name);
  const isOn = review?.changeRequestEnabled ?? false;
  const count = review?.requiredApprovals ?? 1;
  const setCount = (next: number) =>
    void run<unknown>(() => setReview(project, name, true, next, ''), { text: words.approvalsSet(name, next), refresh: [keys.project(project)] });
  return (
    <>
      <Switch
        guarded
        checked={isOn}
        label={words.reviewIn(name)}
        reason={mayNot}
        pending={isPending}
        onChange={(on) => onAsk(on ? 'reviewOn' : 'reviewOff')}
      />
      {isOn && mayNot === undefined ? (
        <Select
          size="small"
          label={words.approvalsIn(name)}
          value={String(count)}
          onChange={(value) => setCount(Number(value))}
          options={Array.from({ length: APPROVALS_MAX }, (_, index) => ({ value: String(index + 1), label: words.needed(index + 1) }))}
        />
      ) : (
        <span className={styles.quiet}>{isOn ? words.needed(count) : words.none}</span>
      )}
    </>
  );
}

export function ProjectEnvironments({ project }: { readonly project: string }) {
  const query = useProjectEnvironments(project);
  const [asked, setAsked] = useState<Asked | null>(null);
  const { run } = useQuickWrite();
  const mayNot = useMay('UPDATE_PROJECT', project);
  const add = (name: string) =>
    void run<unknown>(
      () => write(api.POST('/api/admin/projects/{projectId}/environments', { params: { path: { projectId: project } }, body: { environment: name } })),
      { text: words.added(name), refresh: [keys.project(project)] },
    );
  return (
    <Loaded query={query}>
      {(environments) => (
        <>
          <p className={styles.lead}>{words.lead}</p>
          <div className={styles.list}>
            <ul className={styles.items}>
              {environments.map((environment) => (
                <li key={environment.name}>
                  <Switch
                    checked={environment.visible}
                    guarded={environment.visible}
                    label={words.use(environment.name)}
                    reason={mayNot}
                    onChange={(on) => (on ? add(environment.name) : setAsked({ kind: 'remove', environment }))}
                  />
                  <span className={styles.grow}>
                    <EnvironmentMark name={environment.name} production={isProduction(environment.type)} />
                  </span>
                  {environment.visible && (
                    <>
                      <span className={styles.quiet}>{words.review}</span>
                      <ReviewsOf project={project} environment={environment} onAsk={(kind) => setAsked({ kind, environment })} />
                    </>
                  )}
                </li>
              ))}
            </ul>
          </div>
          {asked && <Confirm project={project} asked={asked} onClose={() => setAsked(null)} />}
        </>
      )}
    </Loaded>
  );
}
