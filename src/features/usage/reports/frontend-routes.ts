import { convertedInSteps } from '../../../base/converted.ts';
import { done } from '../../../http/answer.ts';
import type { Endpoint } from '../../../http/endpoint.ts';
import { routesOf } from '../../endpoint.ts';
import type { Services } from '../../services.ts';
import { acceptRegistration, acceptReport } from './routes.ts';
import { ClientMetricsBody, RegistrationBody } from './schemas.ts';

const route = routesOf('Frontend', { mend: convertedInSteps });

/** The report paths of SDKs that are configured with the address of a list. Such SDKs append `/client/…` to that address. */
interface ReportRoutes {
  readonly under: string;
  readonly operationIds: readonly [metrics: string, registration: string];
  readonly note?: string;
}

const ALIAS = 'As under `/api/frontend`.';

const ROUTES: readonly ReportRoutes[] = [
  { under: '/api/frontend', operationIds: ['registerFrontendMetrics', 'registerFrontendClient'] },
  {
    under: '/api/frontend/all',
    operationIds: ['registerAllFrontendMetrics', 'registerAllFrontendClient'],
    note: ALIAS,
  },
  { under: '/api/proxy', operationIds: ['registerProxyMetrics', 'registerProxyClient'], note: ALIAS },
  { under: '/api/proxy/all', operationIds: ['registerAllProxyMetrics', 'registerAllProxyClient'], note: ALIAS },
];

function reportEndpoints({ under, operationIds, note = '' }: ReportRoutes): readonly Endpoint<Services>[] {
  const [metricsId, registrationId] = operationIds;
  const details = {
    access: { permission: 'FRONTEND' },
    responses: { 200: { description: 'Accepted' } },
  } as const;
  const metrics = route(`POST ${under}/client/metrics`, metricsId, {
    ...details,
    summary: 'How often flags were on and off in a browser or an app',
    description: `Sent by SDKs periodically. The token decides the environment and the projects. ${note}`.trim(),
    body: ClientMetricsBody,
    handle: (request, services) => acceptReport(request.body, request, services) ?? done(),
  });
  const registration = route(`POST ${under}/client/register`, registrationId, {
    ...details,
    summary: 'Registers a browser or an app that has started',
    description: `The token decides the environment and the projects. ${note}`.trim(),
    body: RegistrationBody,
    handle(request, services) {
      acceptRegistration(request.body, request, services);
      return done();
    },
  });
  return [metrics, registration];
}

export const frontendReportEndpoints = ROUTES.flatMap(reportEndpoints);
