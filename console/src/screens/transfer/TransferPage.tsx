import { useUrlState } from '../../data/url-state.ts';
import { Tabs } from '../../kit/lists/Tabs.tsx';
import { Page } from '../../parts/Page.tsx';
import { transfer as words } from '../../words/en/admin/transfer.ts';
import { ExportForm } from './ExportForm.tsx';
import { ImportForm } from './ImportForm.tsx';

type Tab = keyof typeof words.tabs;
const TABS = ['import', 'export'] as const;

/** Flags from a file, and as a file. */
export function TransferPage() {
  const [text, setTab] = useUrlState('tab', 'import');
  const tab: Tab = text === 'export' ? 'export' : 'import';
  return (
    <Page name={words.title} lead={words.lead}>
      <Tabs<Tab>
        label={words.tabsLabel}
        value={tab}
        onChange={setTab}
        tabs={TABS.map((value) => ({ value, label: words.tabs[value] }))}
      >
        {tab === 'import' ? <ImportForm /> : <ExportForm />}
      </Tabs>
    </Page>
  );
}
