import { done } from '../../http/answer.ts';
import { ClientMetricsBody, RegistrationBody } from '../client/report-schemas.ts';
import { takeMetrics, takeRegistration } from '../client/reports.ts';
import { endpoint } from '../endpoint.ts';

const sendFrontendMetrics = endpoint({
  operationId: 'registerFrontendMetrics',
  method: 'post',
  path: '/api/frontend/client/metrics',
  tag: 'Frontend',
  access: { permission: 'FRONTEND' },
  summary: 'How often flags were on and off in a browser or an app',
  description: 'Sent by SDKs now and then. The environment and the projects are the token’s.',
  body: ClientMetricsBody,
  responses: { 200: { description: 'Taken' } },
  errors: [400],
  handle(request, services) {
    return takeMetrics(request.body, request, services) ?? done();
  },
});

const registerFrontend = endpoint({
  operationId: 'registerFrontendClient',
  method: 'post',
  path: '/api/frontend/client/register',
  tag: 'Frontend',
  access: { permission: 'FRONTEND' },
  summary: 'A browser or an app has begun',
  description: 'The environment and the projects are the token’s.',
  body: RegistrationBody,
  responses: { 200: { description: 'Taken' } },
  errors: [400],
  handle(request, services) {
    takeRegistration(request.body, request, services);
    return done();
  },
});

export const frontendReportEndpoints = [sendFrontendMetrics, registerFrontend];
