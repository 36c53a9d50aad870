import { useOpened } from '../data/opened.ts';
import { askOf, askText } from './plan-data.ts';

/** The dialog of a release plan that the address opens. */
export function usePlanAsk() {
  const [text, setText] = useOpened('plan');
  return {
    asked: askOf(text),
    ask: (environment: string, act: string, id = '') => setText(askText(environment, act, id)),
    close: () => setText(''),
  };
}
