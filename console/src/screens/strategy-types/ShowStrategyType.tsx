import { Button } from '../../kit/inputs/Button.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import styles from '../../parts/parts.module.css';
import { strategyTypes as words } from '../../words/en/admin/strategy-types.ts';
import { parts } from '../../words/en/parts.ts';
import type { StrategyType } from './strategy-type-data.ts';

interface PanelProps {
  readonly type: StrategyType;
  readonly onClose: () => void;
}

/** A built-in type: SDKs define what it does. */
export function ShowStrategyType({ type, onClose }: PanelProps) {
  const { name, title, description, parameters } = type;
  return (
    <Inspector
      title={title ?? name}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {parts.done}
        </Button>
      }
    >
      <div className={styles.stack}>
        <p className={styles.quiet}>{words.isBuiltIn}.</p>
        <code>{name}</code>
        {description && <p>{description}</p>}
        <h3 className={styles.heading}>{words.parameters}</h3>
        {parameters.length === 0 ? (
          <p className={styles.quiet}>{words.noParameters}</p>
        ) : (
          <dl className={styles.facts}>
            {parameters.map((parameter) => (
              <ShownParameter key={parameter.name} parameter={parameter} />
            ))}
          </dl>
        )}
      </div>
    </Inspector>
  );
}

function ShownParameter({ parameter }: { readonly parameter: StrategyType['parameters'][number] }) {
  const { name, type, description, required } = parameter;
  return (
    <>
      <dt>
        <code>{name}</code>
      </dt>
      <dd>
        {words.kinds[type]}, {required ? words.required.toLowerCase() : words.optional}
        {description && <span className={styles.quiet}> {description}</span>}
      </dd>
    </>
  );
}
