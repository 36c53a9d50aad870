import { useQuery } from '@tanstack/react-query';
import type { components } from '../../api/schema.d.ts';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpenedItem } from '../../data/opened.ts';
import { isProduction } from '../../data/settings.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Switch } from '../../kit/inputs/Switch.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { allEnvironmentsQuery } from '../../projects/project-data.ts';
import { ConfirmReview, ReviewsOf, reviewKey, reviewsOf } from '../../projects/Reviews.tsx';
import { useQuickWrite } from '../../save/use-write.ts';
import { projects } from '../../words/en/projects.ts';

const words = projects.env;
type Environment = components['schemas']['projectEnvironment'];
function ConfirmRemove({
  project,
  environment,
  onClose,
}: {
  readonly project: string;
  readonly environment: Environment;
  readonly onClose: () => void;
}) {
  const { name, type } = environment;
  return (
    <ConfirmDialog<unknown>
      danger
      production={isProduction(type)}
      title={words.removeTitle(name, project)}
      sentences={words.removeEffects(name, project)}
      label={words.remove}
      mayNot={useMay('UPDATE_PROJECT', project)}
      act={(reason) =>
        write(
          api.DELETE('/api/admin/projects/{projectId}/environments/{environment}', {
            params: { path: { projectId: project, environment: name } },
            headers: stated({ reason }),
          }),
        )
      }
      saved={{ canUndo: true, text: words.removed(name), refresh: [keys.project(project), keys.projects] }}
      onClose={onClose}
    />
  );
}

export function ProjectEnvironments({ project }: { readonly project: string }) {
  const query = useQuery(allEnvironmentsQuery(project));
  const [asked, setAsked] = useOpenedItem('review', query.data?.flatMap(reviewsOf), reviewKey);
  const [removing, setRemoving] = useOpenedItem('remove', query.data, ({ name }) => name);
  const { run } = useQuickWrite();
  const mayNot = useMay('UPDATE_PROJECT', project);
  const add = (name: string) =>
    void run<unknown>(
      () =>
        write(
          api.POST('/api/admin/projects/{projectId}/environments', {
            params: { path: { projectId: project } },
            body: { environment: name },
          }),
        ),
      { text: words.added(name), canUndo: true, refresh: [keys.project(project)] },
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
                    does={environment.visible ? 'asks' : 'saves'}
                    checked={environment.visible}
                    guarded={environment.visible && isProduction(environment.type)}
                    label={words.use(environment.name)}
                    reason={mayNot}
                    onChange={(on) => (on ? add(environment.name) : setRemoving(environment))}
                  />
                  <span className={styles.grow}>
                    <EnvironmentMark name={environment.name} production={isProduction(environment.type)} />
                  </span>
                  {environment.visible && (
                    <ReviewsOf
                      project={project}
                      environment={environment}
                      onAsk={(kind) => setAsked({ kind, environment })}
                    />
                  )}
                </li>
              ))}
            </ul>
          </div>
          {asked && <ConfirmReview project={project} asked={asked} onClose={() => setAsked(null)} />}
          {removing && <ConfirmRemove project={project} environment={removing} onClose={() => setRemoving(null)} />}
        </>
      )}
    </Loaded>
  );
}
