import { visibleProjects } from '../../../access/visibility.ts';
import { convertedInSteps } from '../../../base/converted.ts';
import { type ErrorDetail, Rejection } from '../../../base/rejection.ts';
import { inSlices, Slicer } from '../../../base/yield-control.ts';
import { done } from '../../../http/answer.ts';
import { Constraint } from '../../../model/constraint.ts';
import { routesOf } from '../../endpoint.ts';
import { constraintValuesProblem } from '../limited.ts';
import { validateConstraints } from './validate.ts';

const route = routesOf('Context', { mend: convertedInSteps });

const validateConstraint = route('POST /api/admin/constraints/validate', 'validateConstraint', {
  access: { permission: 'READ' },
  summary: 'Checks whether a strategy or a segment could have this constraint',
  body: Constraint,
  responses: { 204: { description: 'The constraint is valid' } },
  async handle({ body, caller, asker }, { state, config: { limits } }) {
    const problem = constraintValuesProblem(body, limits);
    if (problem) return problem;
    const outcome = await inSlices(
      validateConstraints(state, [body], [], visibleProjects(state, caller)),
      Slicer.of(asker),
    );
    return outcome instanceof Rejection ? withPathsInBody(outcome) : done(204);
  },
});

/**
 * Corrects the paths in the errors of a rejection: the constraint was validated as the only item of a list, but it is the body of the request.
 */
function withPathsInBody({ name, message, details }: Rejection): Rejection {
  const correctedDetails = details.map(
    (detail): ErrorDetail =>
      detail.path === undefined ? detail : { ...detail, path: detail.path.replace(/^\/constraints\/0/, '') },
  );
  return new Rejection(name, message, correctedDetails);
}

export const constraintEndpoints = [validateConstraint];
