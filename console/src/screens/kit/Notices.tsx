import { Plus, Users } from 'lucide-react';
import { Button } from '../../kit/inputs/Button.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { toast } from '../../kit/notices/toast.ts';
import styles from './KitPage.module.css';
import { Specimen, State } from './Specimen.tsx';

const nothing = () => undefined;

export function Notices() {
  return (
    <section className={styles.group}>
      <h2 className={styles.heading}>Notices</h2>
      <Specimen name="Banner">
        <State of="neutral" wide>
          <Banner onDismiss={nothing}>A new version of the console is here.</Banner>
        </State>
        <State of="good" wide>
          <Banner tone="good">The import is complete: 1,000 flags.</Banner>
        </State>
        <State of="warn" wide>
          <Banner tone="warn" title="Maintenance." action={<Button size="small">Details</Button>}>
            Changes are refused until it ends. Your drafts are kept.
          </Banner>
        </State>
        <State of="bad" wide>
          <Banner tone="bad" title="Not saved." action={<Button size="small">Try again</Button>}>
            The server does not answer.
          </Banner>
        </State>
      </Specimen>
      <Specimen name="Toast">
        <State of="neutral">
          <Button onClick={() => toast({ text: 'new-checkout is archived' })}>Show</Button>
        </State>
        <State of="with undo">
          <Button
            onClick={() =>
              toast({
                text: 'new-checkout is on in development',
                tone: 'good',
                action: { label: 'Undo', onSelect: nothing },
              })
            }
          >
            Show
          </Button>
        </State>
        <State of="an error stays">
          <Button onClick={() => toast({ text: 'Not saved: the server does not answer', tone: 'bad' })}>Show</Button>
        </State>
      </Specimen>
      <Specimen name="EmptyState">
        <State of="icon, sentence, action" wide>
          <EmptyState
            icon={<Users aria-hidden />}
            sentence="No segment yet. A segment is a set of constraints that several flags share."
            action={
              <Button kind="primary" icon={<Plus aria-hidden />}>
                New segment
              </Button>
            }
          />
        </State>
      </Specimen>
      <Specimen name="Skeleton">
        <State of="text" wide>
          <Skeleton />
        </State>
        <State of="rows" wide>
          <Skeleton shape="rows" rows={3} />
        </State>
      </Specimen>
    </section>
  );
}
