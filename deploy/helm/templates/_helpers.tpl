{{- define "burgee.chart" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 53 | trimSuffix "-" }}
{{- end }}

{{- define "burgee.name" -}}
{{- $chart := include "burgee.chart" . -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 53 | trimSuffix "-" }}
{{- else if contains $chart .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name $chart | trunc 53 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "burgee.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "burgee.name" .) }}
{{- else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "burgee.selector" -}}
app.kubernetes.io/name: {{ include "burgee.chart" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "burgee.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "burgee.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "burgee.pod" -}}
metadata:
  labels:
    {{- include "burgee.selector" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    {{- if .Values.prometheusAnnotations }}
    prometheus.io/scrape: "true"
    prometheus.io/path: {{ include "burgee.path" . }}/internal-backstage/prometheus
    prometheus.io/port: "4242"
    {{- end }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "burgee.serviceAccount" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: burgee
      image: "{{ required "image.repository names Burgee's image in your registry: it is in no public one (docs/operations.md)" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [{{ if eq .Values.mode "relay" }}relay{{ else }}serve{{ end }}]
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      ports:
        - name: http
          containerPort: 4242
      env:
        {{- range $name, $value := fromYaml (include "burgee.variables" .) }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .Values.existingSecret }}
      envFrom:
        - secretRef:
            name: {{ . }}
      {{- end }}
      {{- /* Waits until all nodes have removed the pod from their endpoints, before connections end. */}}
      lifecycle:
        preStop:
          exec:
            command: [node, -e, "setTimeout(() => {}, 5000)"]
      startupProbe:
        httpGet: { path: {{ include "burgee.path" . }}/health, port: http }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: {{ include "burgee.path" . }}/health, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: {{ include "burgee.path" . }}/ready, port: http }
        periodSeconds: 3
        timeoutSeconds: 3
        failureThreshold: 2
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if ne .Values.mode "embedded" }}
    - name: data
      emptyDir: {}
    {{- else if .Values.persistence.existingClaim }}
    - name: data
      persistentVolumeClaim:
        claimName: {{ .Values.persistence.existingClaim }}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.affinity }}
  affinity:
    {{- toYaml .Values.affinity | nindent 4 }}
  {{- else if ne .Values.mode "embedded" }}
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels:
                {{- include "burgee.selector" . | nindent 16 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    - {{- toYaml . | nindent 6 }}
      {{- if not .labelSelector }}
      labelSelector:
        matchLabels:
          {{- include "burgee.selector" $ | nindent 10 }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- /* The chart's variables, and over them those of env, each name once. Ports and directories belong to the chart: ports, probes and volumes rely on them. */}}
{{- define "burgee.variables" -}}
{{- $own := dict "TRUSTED_PROXIES" .Values.trustedProxies -}}
{{- $fixed := dict "DATA_DIR" "/data" "HTTP_PORT" "4242" -}}
{{- if eq .Values.mode "relay" }}
{{- $fixed = dict "BACKUP_FOLDER" "/data" "PORT" "4242" -}}
{{- if .Values.relay.upstreamUrl }}{{- $_ := set $own "UPSTREAM_URL" .Values.relay.upstreamUrl }}
{{- else if not (or .Values.existingSecret (index .Values.env "UPSTREAM_URL")) }}{{- fail "relay.upstreamUrl names the service that the relay stands in front of" }}
{{- end }}
{{- else if eq .Values.mode "replicas" }}
{{- $_ := set $own "REDIS_STRICT" .Values.redis.strict }}
{{- if .Values.redis.url }}{{- $_ := set $own "REDIS_URL" .Values.redis.url }}
{{- else if not (or .Values.existingSecret (index .Values.env "REDIS_URL")) }}{{- fail "the mode replicas needs redis.url, or REDIS_URL in existingSecret" }}
{{- end }}
{{- end }}
{{- range $name := list "HTTP_PORT" "PORT" "DATA_DIR" "BACKUP_FOLDER" }}
{{- if hasKey $.Values.env $name }}{{- fail (printf "env.%s cannot be set: the chart sets port and directory" $name) }}{{ end }}
{{- end }}
{{- $all := merge $fixed .Values.env $own -}}
{{- range .Values.extraEnv }}
{{- if hasKey $all .name }}{{- fail (printf "extraEnv sets %s, which the chart or env sets: name it once" .name) }}{{ end }}
{{- end }}
{{- /* Helm reads numbers as floating point: a million would be printed as 1e+06. */}}
{{- range $name, $value := $all }}
{{- $text := and (kindIs "float64" $value) (eq (floor $value) $value) | ternary (printf "%.0f" (toString $value | float64)) (toString $value) }}
{{ $name }}: {{ $text | quote }}
{{- end }}
{{- end }}

{{- define "burgee.path" -}}
{{- $path := index .Values.env "BASE_URI_PATH" | default (index .Values.env "BASE_PATH") | default "" -}}
{{- if $path }}/{{ trimAll "/" $path }}{{ end }}
{{- end }}
