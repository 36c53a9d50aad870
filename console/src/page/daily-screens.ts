import { Activity, Flag, FlaskConical, FolderKanban, GitPullRequest, Home, ScrollText } from 'lucide-react';

/** The screens of daily work: in the side bar, and on the home screen of a phone, where the side bar is folded. */
export const DAILY_SCREENS = [
  ['home', Home],
  ['features', Flag],
  ['projects', FolderKanban],
  ['changeRequests', GitPullRequest],
  ['playground', FlaskConical],
  ['recent', Activity],
  ['events', ScrollText],
] as const;
