import { useOpened } from '../../data/opened.ts';

/** A strategy of an environment by its id, `variants` or `copy`. */
export const editOf = (environment: string, what: string) => `${environment}~${what}`;

/** What the inspector edits: a strategy of an environment, or its variants. The address has it. */
export function usePanel() {
  const [text, setText] = useOpened('edit');
  const at = text.lastIndexOf('~');
  const open = at < 0 ? null : { environment: text.slice(0, at), id: text.slice(at + 1) };
  return {
    open,
    edit: (environment: string, id: string) => setText(editOf(environment, id)),
    editVariants: (environment: string) => setText(editOf(environment, 'variants')),
    copy: (environment: string) => setText(editOf(environment, 'copy')),
    close: () => setText(''),
  };
}
