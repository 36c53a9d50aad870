import { headText, labelText, type MetricType, sampleText } from '../../../base/prometheus-text.ts';
import type { Services } from '../../services.ts';

function line(name: string, help: string, value: number, type: MetricType = 'gauge', labels = ''): string {
  return headText(name, help, type) + sampleText(name, labels, value);
}

/** What the process takes of its machine, under the names that every service on Node has. */
export function* processTexts({ loopDelay }: Services): Generator<string, void, void> {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const startS = (Date.now() - process.uptime() * 1_000) / 1_000;
  yield line('process_cpu_user_seconds_total', 'Processor time of the process itself', user / 1e6, 'counter') +
    line('process_cpu_system_seconds_total', 'Processor time of the system for it', system / 1e6, 'counter') +
    line('process_cpu_seconds_total', 'Both', (user + system) / 1e6, 'counter') +
    line('process_start_time_seconds', 'When it began, in Unix time', Math.round(startS)) +
    line('process_resident_memory_bytes', 'Memory that it has of the machine', rss) +
    line('nodejs_heap_size_total_bytes', 'Memory that is there for JavaScript', heapTotal) +
    line('nodejs_heap_size_used_bytes', 'Memory that JavaScript uses', heapUsed) +
    line('nodejs_external_memory_bytes', 'Memory beside it that JavaScript holds on to', external) +
    line('nodejs_array_buffers_bytes', 'Of that, bytes of lists and answers', arrayBuffers);
  const { mean, max, p50, p99 } = loopDelay.take();
  yield line('nodejs_eventloop_lag_seconds', 'How late the event loop was, on average since the last scrape', mean) +
    line('nodejs_eventloop_lag_max_seconds', 'The longest since then', max) +
    line('nodejs_eventloop_lag_p50_seconds', 'Half were below, since then', p50) +
    line('nodejs_eventloop_lag_p99_seconds', 'Ninety-nine in a hundred were below, since then', p99) +
    line('nodejs_version_info', 'The version of Node', 1, 'gauge', labelText([['version', process.version]]));
}
