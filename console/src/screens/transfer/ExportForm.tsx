import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useFlagRows } from '../../data/flag-rows.ts';
import { useUrlList, useUrlState } from '../../data/url-state.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { CodeBlock } from '../../kit/texts/CodeBlock.tsx';
import styles from '../../parts/parts.module.css';
import { TagChoice } from '../../parts/TagChoice.tsx';
import { FailureText } from '../../save/FailureText.tsx';
import { transfer as words } from '../../words/en/admin/transfer.ts';
import { TargetFields, useEnvironmentNames } from './TargetFields.tsx';
import { exportFlags, type Selection, saveFile } from './transfer-data.ts';

type Which = keyof typeof words.whichOnes;
const WHICH = ['project', 'flags', 'tag'] as const;

/** The same export as a command, for scripts. */
const commandOf = (selection: Selection) =>
  `curl -X POST ${location.origin}/api/admin/features-batch/export -H "Authorization: $ADMIN_TOKEN" ` +
  `-H 'content-type: application/json' -d '${JSON.stringify(selection).replaceAll("'", "'\\''")}' -o export.json`;

interface Saved {
  readonly count: number;
  readonly name: string;
  readonly text: string;
}

const fileName = (environment: string, now: Date) =>
  `export-${environment}-${now.toISOString().slice(0, 19).replaceAll(':', '-')}.json`;

interface FlagsProps {
  readonly names: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

function Flags({ names, onChange }: FlagsProps) {
  const { rows } = useFlagRows();
  const options = useMemo(() => rows.map(({ name, project }) => ({ value: name, label: name, hint: project })), [rows]);
  return (
    <Field label={words.flags} hint={words.flagsHint}>
      <MultiSelect mono options={options} values={names} onChange={onChange} />
    </Field>
  );
}

function Outcome({ saved, failure }: { readonly saved: Saved | null; readonly failure: Failure | null }) {
  if (failure) return <FailureText failure={failure} />;
  if (!saved) return null;
  if (saved.count === 0) return <Banner tone="warn">{words.nothingExported}</Banner>;
  return (
    <Banner
      tone="good"
      action={
        <Button size="small" onClick={() => saveFile(saved.name, saved.text)}>
          {words.download(saved.name)}
        </Button>
      }
    >
      {words.exported(saved.count)}
    </Banner>
  );
}

/** The flags that are exported; all of it is in the address, so that the list of flags can lead here. */
function useSelection() {
  const [which, setWhich] = useUrlState('which', 'project');
  const [project, setProject] = useUrlState('project');
  const [chosen, setEnvironment] = useUrlState('environment');
  const [names, setNames] = useUrlList('flags');
  const [tag, setTag] = useUrlState('tag');
  const kind: Which = WHICH.find((one) => one === which) ?? 'project';
  const all = useEnvironmentNames(kind === 'flags' ? '' : project);
  const environment = all.find((name) => name === chosen) ?? all[0] ?? '';
  const inProject = project === '' ? {} : { project };
  const selection: Selection = {
    environment,
    ...(kind === 'flags' ? { features: [...names] } : inProject),
    ...(kind === 'tag' ? { tag } : {}),
  };
  const missing =
    kind === 'flags' && names.length === 0
      ? words.flagsMissing
      : kind === 'tag' && tag === ''
        ? words.tagMissing
        : undefined;
  const set = { setWhich, setProject, setEnvironment, setNames, setTag };
  return { kind, project, environment, names, tag, all, selection, missing, ...set };
}

export function ExportForm() {
  const state = useSelection();
  const { kind, environment, selection, missing } = state;
  const [saved, setSaved] = useState<Saved | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isPending, setPending] = useState(false);
  const run = async () => {
    setPending(true);
    setFailure(null);
    setSaved(null);
    const answer = await exportFlags(selection);
    setPending(false);
    if (!answer.ok) return setFailure(answer.failure);
    const text = `${JSON.stringify(answer.value, null, 2)}\n`;
    const next = { count: answer.value.features.length, name: fileName(environment, new Date()), text };
    setSaved(next);
    if (next.count > 0) saveFile(next.name, next.text);
  };
  return (
    <div className={`${styles.stack} ${styles.narrow}`}>
      <div>
        <Segmented<Which>
          label={words.which}
          value={kind}
          onChange={state.setWhich}
          options={WHICH.map((value) => ({ value, label: words.whichOnes[value] }))}
        />
      </div>
      {kind === 'flags' && <Flags names={state.names} onChange={state.setNames} />}
      {kind === 'tag' && <TagChoice label={words.tag} hint={words.tagHint} value={state.tag} onChange={state.setTag} />}
      <TargetFields
        hasProject={kind !== 'flags'}
        project={state.project}
        environment={environment}
        names={state.all}
        onProject={state.setProject}
        onEnvironment={state.setEnvironment}
        noProject={words.allProjects}
      />
      <p className={styles.quiet}>{words.segmentsHint}</p>
      <div>
        <Button
          kind="primary"
          icon={<Download aria-hidden />}
          pending={isPending}
          reason={missing}
          onClick={() => void run()}
        >
          {words.export}
        </Button>
      </div>
      <Outcome saved={saved} failure={failure} />
      <CodeBlock title={words.command} label={words.command} code={commandOf(selection)} />
    </div>
  );
}
