import { useQuery } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { isProduction } from '../../data/settings.ts';
import { defaultStrategyOf } from '../../domain/default-strategy.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { RuleList } from '../../kit/changes/RuleSentence.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { allEnvironmentsQuery } from '../../projects/project-data.ts';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { defaultStrategies as words } from '../../words/en/admin/default-strategies.ts';
import { asRule } from '../../words/en/rule-sentences.ts';
import type { ProjectEnvironment } from './default-strategy-data.ts';
import { EditDefaultStrategy } from './EditDefaultStrategy.tsx';

interface ProjectOfStrategies {
  readonly id: string;
  readonly defaultStickiness: string;
}

interface OneProps {
  readonly project: ProjectOfStrategies;
  readonly environment: ProjectEnvironment;
  readonly onEdit: () => void;
}

function One({ project, environment, onEdit }: OneProps) {
  const { name, type, defaultStrategy } = environment;
  const segments = useSegmentNames();
  const mayNot = useMay(['UPDATE_PROJECT', 'PROJECT_DEFAULT_STRATEGY_WRITE'], project.id);
  return (
    <section className={styles.card} aria-label={name}>
      <div className={styles.between}>
        <h2 className={styles.heading}>
          <EnvironmentMark name={name} production={isProduction(type)} />
        </h2>
        <Badge tone={defaultStrategy ? 'accent' : 'neutral'}>{defaultStrategy ? words.own : words.standard}</Badge>
      </div>
      {defaultStrategy?.title && <p className={styles.strong}>{defaultStrategy.title}</p>}
      <RuleList
        enabled
        strategies={[asRule(defaultStrategyOf(defaultStrategy, project.defaultStickiness), segments)]}
      />
      <div>
        <Button
          size="small"
          icon={<Pencil aria-hidden />}
          aria-label={words.edit(name)}
          reason={mayNot}
          onClick={onEdit}
        >
          {words.editShort}
        </Button>
      </div>
    </section>
  );
}

/** What a flag gets when it is switched on and has no strategy, for each environment of the project. */
export function DefaultStrategies({ project }: { readonly project: ProjectOfStrategies }) {
  const query = useQuery(allEnvironmentsQuery(project.id));
  const [edited, setEdited] = useOpened('environment');
  return (
    <Loaded query={query}>
      {(all) => {
        const environments = all.filter(({ visible }) => visible);
        const shown = environments.find(({ name }) => name === edited);
        return (
          <>
            <p className={styles.lead}>{words.lead}</p>
            {environments.length === 0 && <p>{words.none}</p>}
            <div className={styles.cards}>
              {environments.map((environment) => (
                <One
                  key={environment.name}
                  project={project}
                  environment={environment}
                  onEdit={() => setEdited(environment.name)}
                />
              ))}
            </div>
            {shown && (
              <EditDefaultStrategy
                key={shown.name}
                project={project.id}
                stickiness={project.defaultStickiness}
                environment={shown}
                onClose={() => setEdited('')}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}
