import { Component, type ReactNode } from 'react';
import { newVersion } from '../data/new-version.ts';
import { reportError } from '../data/ui-errors.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { shell as words } from '../words/en/shell.ts';

interface Props {
  readonly children: ReactNode;
  /** Another value clears the error: the address, so that other screens still work. */
  readonly resetBy?: string;
}

interface State {
  readonly error: Error | null;
  readonly resetBy: string | undefined;
}

/** Shows what failed in the place of the screen, and writes it into the log of the service. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, resetBy: this.props.resetBy };

  static getDerivedStateFromError = (error: Error): Partial<State> => ({ error });

  static getDerivedStateFromProps = (props: Props, state: State): Partial<State> | null =>
    props.resetBy === state.resetBy ? null : { error: null, resetBy: props.resetBy };

  override componentDidCatch(error: Error): void {
    if (!newVersion.get()) reportError(error);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    const reload = (
      <Button size="small" onClick={() => location.reload()}>
        {words.reload}
      </Button>
    );
    return newVersion.get() ? (
      <Banner tone="warn" action={reload}>
        {words.newVersion}
      </Banner>
    ) : (
      <Banner
        tone="bad"
        title={words.failed}
        action={
          <Button size="small" onClick={() => this.setState({ error: null })}>
            {words.again}
          </Button>
        }
      >
        {words.failedHint} <code>{error.message}</code>
      </Banner>
    );
  }
}
