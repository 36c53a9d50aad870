import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import type { Feature } from '../../domain/model.ts';
import { HistoryList } from '../../history/HistoryList.tsx';
import { path } from '../../paths.ts';
import { feature as words } from '../../words/en/flags/feature.ts';

const PAGE = 30;

/** What happened to the flag, and to the segments that it used. */
export function FeatureHistory({ flag }: { readonly flag: Feature }) {
  return (
    <>
      <h2 className="visually-hidden">{words.tabs.history}</h2>
      <HistoryList
        about={flag.name}
        stateAt={(revision) => path('feature', { projectId: flag.project, featureId: flag.name }, { at: revision })}
        queryKey={keys.featureHistory(flag.name)}
        read={(before) =>
          read(
            api.GET('/api/admin/projects/{projectId}/features/{featureName}/history', {
              params: {
                path: { projectId: flag.project, featureName: flag.name },
                query: { limit: PAGE, ...(before === undefined ? {} : { before }) },
              },
            }),
          )
        }
      />
    </>
  );
}
