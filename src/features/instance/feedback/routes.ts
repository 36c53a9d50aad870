import Type from 'typebox';
import { ok } from '../../../http/answer.ts';
import type { Caller } from '../../../model/caller.ts';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { ownUserId } from '../../people/own-user.ts';
import { change } from '../../shared/change.ts';
import { FeedbackChanges, FeedbackId, giveFeedback, SplashId, seeSplash } from './commands.ts';
import type { Feedback } from './feedback.ts';

const route = routesOf('Admin UI');

/** Contract: Feedback. */
export const FeedbackSchema = Type.Object(
  {
    userId: Type.Integer(),
    feedbackId: Type.String({ description: 'Id of the question' }),
    neverShow: Type.Boolean({ description: 'Whether the user does not want to be asked again' }),
    given: Nullable(DateTime),
  },
  { $id: 'feedback' },
);

const updateSplash = route('POST /api/admin/splash/:id', 'updateSplashSettings', {
  access: { permission: 'READ' },
  summary: 'Records that the caller has seen a splash screen',
  description:
    'For a token that identifies a user: a session, or a personal access token. `GET /api/admin/user` returns the recorded splash screens.',
  params: { id: SplashId },
  body: Type.Object({}, { description: 'Ignored' }),
  bodyOptional: true,
  responses: {
    200: {
      description: 'The splash screen is recorded as seen',
      schema: Type.Object(
        { userId: Type.Integer(), splashId: Type.String(), seen: Type.Boolean() },
        { $id: 'splashResponse' },
      ),
    },
  },
  neverMissing: true,
  handle({ params, caller }, services) {
    const userId = ownUserId(caller);
    if (typeof userId !== 'number') return userId;
    const input = { userId, splashId: params.id };
    return change(services, caller, seeSplash, input, ({ splashId }) => ok({ userId, splashId, seen: true }));
  },
});

const createFeedback = route('POST /api/admin/feedback', 'createFeedback', {
  access: { permission: 'READ' },
  summary: 'Records that the caller gave feedback, or does not want to give feedback',
  description: 'For a token that identifies a user: a session, or a personal access token.',
  body: Type.Object({ feedbackId: FeedbackId, neverShow: FeedbackChanges.neverShow }, { $id: 'feedbackCreate' }),
  responses: { 200: { description: 'The stored feedback', schema: FeedbackSchema } },
  handle({ body, caller }, services) {
    const userId = ownUserId(caller);
    if (typeof userId !== 'number') return userId;
    const { feedbackId, neverShow } = body;
    const given = new Date(services.clock.nowMs()).toISOString();
    return change(services, caller, giveFeedback, { userId, feedbackId, neverShow, given }, (feedback) => ok(feedback));
  },
});

const updateFeedback = route('PUT /api/admin/feedback/:id', 'updateFeedback', {
  access: { permission: 'READ' },
  summary: 'Changes the specified properties of the caller’s feedback',
  description: 'For a token that identifies a user: a session, or a personal access token.',
  params: { id: FeedbackId },
  body: Type.Object(
    {
      userId: Type.Optional(Type.Integer({ description: 'Ignored: feedback is always the caller’s own' })),
      ...FeedbackChanges,
    },
    { $id: 'feedbackUpdate' },
  ),
  responses: { 200: { description: 'The stored feedback', schema: FeedbackSchema } },
  neverMissing: true,
  handle({ params, body, caller }, services) {
    const userId = ownUserId(caller);
    if (typeof userId !== 'number') return userId;
    const { neverShow, given } = body;
    return change(services, caller, giveFeedback, { userId, feedbackId: params.id, neverShow, given }, ok);
  },
});

/** The feedback of the caller, and the splash screens that the caller has seen. */
export function ownFeedback(reader: StateReader, { user }: Caller) {
  const feedback: Feedback[] = user === null ? [] : [...reader.lookup('feedbackByUser', user)];
  const seen = user === null ? [] : [...reader.lookup('seenSplashesByUser', user)];
  return { feedback, splash: Object.fromEntries(seen.map(({ splashId }) => [splashId, true])) };
}

export const feedbackEndpoints = [updateSplash, createFeedback, updateFeedback];
