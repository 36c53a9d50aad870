import { matchRoute, Redirect, Route, useLocation, useRouter } from 'wouter';
import { FORMER_PATHS, filledPath } from '../former-paths.ts';
import { NotFound } from '../page/NotFound.tsx';
import { PATHS, type Screen } from '../paths.ts';
import { ROUTES } from './routes.tsx';

const SCREENS = Object.keys(ROUTES) as Screen[];

/** The screen of the address. A screen with several addresses stays mounted between them: its list keeps its scroll and its focus. */
export function Screens() {
  const [location] = useLocation();
  const { parser } = useRouter();
  const found = SCREENS.find((screen) => matchRoute(parser, PATHS[screen], location)[0]);
  if (!found) {
    for (const [from, to] of Object.entries(FORMER_PATHS)) {
      const [isFormer, params] = matchRoute(parser, from, location);
      if (isFormer) return <Redirect to={filledPath(to, params)} replace />;
    }
    return <NotFound />;
  }
  const Shown = ROUTES[found];
  return (
    <Route path={PATHS[found]}>
      <Shown />
    </Route>
  );
}
