import { CSPProvider } from '@base-ui/react/csp-provider';
import { lazy, Suspense } from 'react';
import { Route, Router, Switch } from 'wouter';
import { BASE_PATH } from '../base-path.ts';

const KitPage = lazy(async () => ({ default: (await import('../screens/kit/KitPage.tsx')).KitPage }));

export function App() {
  return (
    <CSPProvider disableStyleElements>
      <Router base={BASE_PATH}>
        <Suspense>
          <Switch>
            <Route path="/kit" component={KitPage} />
            <Route>Burgee</Route>
          </Switch>
        </Suspense>
      </Router>
    </CSPProvider>
  );
}
