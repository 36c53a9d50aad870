import { headText, labelText, type MetricType, sampleText } from '../../../base/prometheus-text.ts';
import type { Services } from '../../services.ts';

function line(name: string, help: string, value: number, type: MetricType = 'gauge', labels = ''): string {
  return headText(name, help, type) + sampleText(name, labels, value);
}

/** The resources that the process uses, under the metric names that are common for Node. */
export function* processTexts({ loopDelay }: Services): Generator<string, void, void> {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const startS = (Date.now() - process.uptime() * 1_000) / 1_000;
  yield line('process_cpu_user_seconds_total', 'Processor time of the process in user mode', user / 1e6, 'counter') +
    line('process_cpu_system_seconds_total', 'Processor time of the process in system mode', system / 1e6, 'counter') +
    line(
      'process_cpu_seconds_total',
      'Processor time of the process in user and system mode',
      (user + system) / 1e6,
      'counter',
    ) +
    line('process_start_time_seconds', 'Start time of the process, as Unix time', Math.round(startS)) +
    line('process_resident_memory_bytes', 'Resident memory of the process', rss) +
    line('nodejs_heap_size_total_bytes', 'Size of the JavaScript heap', heapTotal) +
    line('nodejs_heap_size_used_bytes', 'Used memory of the JavaScript heap', heapUsed) +
    line('nodejs_external_memory_bytes', 'Memory outside the heap that JavaScript objects use', external) +
    line('nodejs_array_buffers_bytes', 'Memory of array buffers, a part of the external memory', arrayBuffers);
  const { mean, max, p50, p99 } = loopDelay.readAndReset();
  yield line('nodejs_eventloop_lag_seconds', 'Mean delay of the event loop since the last scrape', mean) +
    line('nodejs_eventloop_lag_max_seconds', 'Maximum delay of the event loop since the last scrape', max) +
    line(
      'nodejs_eventloop_lag_p50_seconds',
      '50th percentile of the delay of the event loop since the last scrape',
      p50,
    ) +
    line(
      'nodejs_eventloop_lag_p99_seconds',
      '99th percentile of the delay of the event loop since the last scrape',
      p99,
    ) +
    line('nodejs_version_info', 'The version of Node', 1, 'gauge', labelText([['version', process.version]]));
}
