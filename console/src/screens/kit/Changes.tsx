import { Diff } from '../../kit/changes/Diff.tsx';
import { DraftBar } from '../../kit/changes/DraftBar.tsx';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { ReceiptBar } from '../../kit/changes/ReceiptBar.tsx';
import { RuleList, RuleSentence } from '../../kit/changes/RuleSentence.tsx';
import type { RuleStrategy } from '../../words/rule-words.ts';
import styles from './KitPage.module.css';
import { Specimen, State } from './Specimen.tsx';

const ROLLOUT: RuleStrategy = {
  name: 'flexibleRollout',
  parameters: { rollout: '25', stickiness: 'userId', groupId: 'new-checkout' },
  constraints: [
    { contextName: 'country', operator: 'IN', values: ['NO', 'SE'] },
    { contextName: 'appVersion', operator: 'SEMVER_GTE', value: '4.2.0' },
  ],
};
const PEOPLE: RuleStrategy = {
  name: 'userWithId',
  parameters: { userIds: 'ada, grace, alan, edsger, barbara, donald, niklaus' },
};
const BETA: RuleStrategy = { name: 'default', segments: ['beta-testers'] };

const nothing = () => undefined;

export function Changes() {
  return (
    <section className={styles.group}>
      <h2 className={styles.heading}>Changes</h2>
      <Specimen name="RuleSentence">
        <State of="rollout" wide>
          <RuleSentence strategy={ROLLOUT} />
        </State>
        <State of="disabled" wide>
          <RuleSentence strategy={{ ...ROLLOUT, disabled: true }} />
        </State>
        <State of="custom" wide>
          <RuleSentence strategy={{ name: 'fullMoon', parameters: { phase: 'full' } }} />
        </State>
        <State of="all of an environment" wide>
          <RuleList enabled strategies={[ROLLOUT, PEOPLE, BETA]} />
        </State>
        <State of="off" wide>
          <RuleList enabled={false} strategies={[BETA, PEOPLE]} />
        </State>
        <State of="no strategies" wide>
          <RuleList enabled strategies={[]} />
        </State>
      </Specimen>
      <Specimen name="Diff">
        <State of="two environments" wide>
          <Diff
            groups={[
              {
                key: 'production',
                title: <EnvironmentMark name="production" production />,
                production: true,
                changes: [
                  { kind: 'changed', text: 'The rollout of strategy 1 changes', before: '10 %', after: '25 %' },
                  { kind: 'added', text: 'Strategy 2 is added: userId in (ada, grace)' },
                  { kind: 'removed', text: 'The constraint “country in (DK)” is removed from strategy 1' },
                ],
              },
              { key: 'dev', title: <EnvironmentMark name="development" production={false} />, changes: [] },
            ]}
            json={{ before: { rollout: '10', values: ['DK'] }, after: { rollout: '25', values: [] } }}
          />
        </State>
      </Specimen>
      <Specimen name="DraftBar">
        <State of="changes" wide>
          <DraftBar count={3} onReview={nothing} onDiscard={nothing} />
        </State>
        <State of="production" wide>
          <DraftBar count={1} production onReview={nothing} onDiscard={nothing} />
        </State>
        <State of="saving" wide>
          <DraftBar count={2} pending onReview={nothing} onDiscard={nothing} />
        </State>
      </Specimen>
      <Receipts />
    </section>
  );
}

function Receipts() {
  const slowest = { name: 'billing', environment: 'staging' };
  return (
    <Specimen name="ReceiptBar">
      <State of="waiting" wide>
        <ReceiptBar receipt={undefined} onUndo={nothing} />
      </State>
      <State of="arriving" wide>
        <ReceiptBar
          receipt={{ revision: 48213, followed: 412, given: 401, unknown: 3, medianMs: 210, slowest }}
          onDetails={nothing}
          onUndo={nothing}
        />
      </State>
      <State of="all" wide>
        <ReceiptBar
          receipt={{ revision: 48213, followed: 412, given: 412, unknown: 0, medianMs: 180 }}
          onDetails={nothing}
          onUndo={nothing}
          onDismiss={nothing}
        />
      </State>
      <State of="stalled" wide>
        <ReceiptBar
          receipt={{ revision: 48213, followed: 50, given: 49, unknown: 0, medianMs: 180, slowest, isStalled: true }}
          onDetails={nothing}
        />
      </State>
      <State of="no SDKs" wide>
        <ReceiptBar receipt={{ revision: 7, followed: 0, given: 0, unknown: 0 }} onDismiss={nothing} />
      </State>
    </Specimen>
  );
}
