import { Plus } from 'lucide-react';
import { useCallback } from 'react';
import { useMayAnywhere } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { CreateFlag } from '../../flags/CreateFlag.tsx';
import { FlagList } from '../../flags/FlagList.tsx';
import { useShortcut } from '../../keys/registry.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Page } from '../../page/Page.tsx';
import { features as words } from '../../words/en/flags/features.ts';

/** All flags of all projects. */
export function FeaturesScreen() {
  const [panel, setPanel] = useOpened('panel');
  const create = useCallback(() => setPanel('create'), [setPanel]);
  const mayNot = useMayAnywhere('CREATE_FEATURE');
  useShortcut(mayNot === undefined ? { keys: 'c', label: words.create, group: words.title, run: create } : undefined);
  return (
    <Page
      title={words.title}
      isFull
      actions={
        <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNot} onClick={create}>
          {words.create}
        </Button>
      }
      inspector={panel === 'create' && <CreateFlag project={undefined} onClose={() => setPanel('')} />}
    >
      <FlagList onCreate={create} mayNotCreate={mayNot} />
    </Page>
  );
}
