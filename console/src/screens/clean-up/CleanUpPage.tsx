import { useUrlState } from '../../data/url-state.ts';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import { ProjectChoice } from '../../parts/ProjectChoice.tsx';
import styles from '../../parts/parts.module.css';
import { cleanUp as words } from '../../words/en/flags/clean-up.ts';
import { numberText } from '../../words/number-text.ts';
import { useStageCounts } from './clean-up-data.ts';
import { Desk } from './Desk.tsx';
import { Figures } from './Figures.tsx';

const STAGES = Object.keys(words.stages) as (keyof typeof words.stages)[];

/** The list to clean up, for the flags of all projects. */
export function CleanUpPage() {
  const [project, setProject] = useUrlState('project');
  return (
    <Page name={words.title} lead={words.lead}>
      <Loaded query={useStageCounts()} shape="text" rows={2}>
        {(counts) => (
          <Figures
            figures={STAGES.map((stage) => ({ label: words.stages[stage], value: numberText(counts[stage]) }))}
          />
        )}
      </Loaded>
      <Desk
        key={project}
        project={project}
        choice={
          <div className={styles.filter}>
            <ProjectChoice value={project} onChange={setProject} />
          </div>
        }
      />
    </Page>
  );
}
