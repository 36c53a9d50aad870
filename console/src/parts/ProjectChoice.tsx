import { useProjects } from '../data/settings.ts';
import { Select } from '../kit/inputs/Select.tsx';
import { parts as words } from '../words/en/parts.ts';

interface ProjectChoiceProps {
  /** Empty: all projects. */
  readonly value: string;
  readonly onChange: (project: string) => void;
}

/** One project, or all of them. */
export function ProjectChoice({ value, onChange }: ProjectChoiceProps) {
  const { data: projects = [] } = useProjects();
  const options = [
    { value: '', label: words.allProjects },
    ...projects.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return <Select label={words.project} value={value} onChange={onChange} options={options} />;
}
