import { useUrlState } from '../../data/url-state.ts';

/** What the inspector edits: a strategy of an environment, or its variants. The address has it. */
export function usePanel() {
  const [text, setText] = useUrlState('edit');
  const at = text.lastIndexOf('~');
  const open = at < 0 ? null : { environment: text.slice(0, at), id: text.slice(at + 1) };
  return {
    open,
    edit: (environment: string, id: string) => setText(`${environment}~${id}`),
    editVariants: (environment: string) => setText(`${environment}~variants`),
    copy: (environment: string) => setText(`${environment}~copy`),
    close: () => setText(''),
  };
}
