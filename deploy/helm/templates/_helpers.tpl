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

{{- /* Labels of pods that serve nothing: the selector of the service must not match them. */}}
{{- define "burgee.jobSelector" -}}
app.kubernetes.io/name: {{ include "burgee.chart" . }}-job
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "burgee.image" -}}
{{- $repository := required "image.repository names Burgee's image in your registry: it is in no public one (docs/operate/operations.md)" .Values.image.repository -}}
{{- if .Values.image.digest }}{{ $repository }}@{{ .Values.image.digest }}
{{- else }}{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* OpenShift chooses user and groups for each namespace, and refuses pods that choose others. */}}
{{- define "burgee.podSecurityContext" -}}
{{- $context := .Values.podSecurityContext -}}
{{- $isOpenShift := or (eq .Values.platform "openshift") (and (eq .Values.platform "auto") (.Capabilities.APIVersions.Has "security.openshift.io/v1")) -}}
{{- if $isOpenShift }}{{- $context = omit $context "runAsUser" "runAsGroup" "fsGroup" "fsGroupChangePolicy" }}{{ end -}}
{{- toYaml $context }}
{{- end }}

{{- define "burgee.pod" -}}
metadata:
  labels:
    {{- $selector := fromYaml (include "burgee.selector" .) }}
    {{- range $name, $value := .Values.podLabels }}
    {{- if hasKey $selector $name }}{{- fail (printf "podLabels cannot set %s: the service finds its pods by this label" $name) }}{{ end }}
    {{- end }}
    {{- toYaml (merge $selector .Values.podLabels) | nindent 4 }}
  annotations:
    {{- $annotations := deepCopy .Values.podAnnotations }}
    {{- /* A ServiceMonitor scrapes the same pods: with the annotations, some installations would scrape them twice. */}}
    {{- if and .Values.prometheusAnnotations (not .Values.serviceMonitor.enabled) }}
    {{- $path := printf "%s/internal-backstage/prometheus" (include "burgee.path" .) }}
    {{- $annotations = merge $annotations (dict "prometheus.io/scrape" "true" "prometheus.io/path" $path "prometheus.io/port" "4242") }}
    {{- end }}
    {{- toYaml $annotations | nindent 4 }}
spec:
  serviceAccountName: {{ include "burgee.serviceAccount" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  securityContext:
    {{- include "burgee.podSecurityContext" . | nindent 4 }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: burgee
      image: {{ include "burgee.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [{{ if eq .Values.mode "relay" }}relay{{ else }}serve{{ end }}]
      securityContext:
        {{- toYaml .Values.securityContext | nindent 8 }}
      ports:
        - name: http
          containerPort: 4242
      env:
        {{- range $name, $value := fromYaml (include "burgee.variables" .) }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- range .Values.extraEnv }}
        {{- /* The chart sets these itself, from this entry. */}}
        {{- if not (has .name (list "BASE_URI_PATH" "BASE_PATH")) }}
        - {{- toYaml . | nindent 10 }}
        {{- end }}
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
{{- $path := include "burgee.path" . -}}
{{- /* Set even if it is empty: a path in existingSecret would otherwise be one that the probes do not know. */}}
{{- $fixed := dict "DATA_DIR" "/data" "HTTP_PORT" "4242" "BASE_URI_PATH" $path -}}
{{- if eq .Values.mode "relay" }}
{{- $fixed = dict "BACKUP_FOLDER" "/data" "PORT" "4242" "BASE_URI_PATH" $path "BASE_PATH" $path -}}
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
{{- if and (hasKey $all .name) (not (has .name (list "BASE_URI_PATH" "BASE_PATH"))) }}{{- fail (printf "extraEnv sets %s, which the chart or env sets: name it once" .name) }}{{ end }}
{{- end }}
{{- /* Helm reads numbers as floating point: a million would be printed as 1e+06. */}}
{{- range $name, $value := $all }}
{{- $text := and (kindIs "float64" $value) (eq (floor $value) $value) | ternary (printf "%.0f" (toString $value | float64)) (toString $value) }}
{{ $name }}: {{ $text | quote }}
{{- end }}
{{- end }}

{{- /* The prefix of every path, from basePath, env or extraEnv. Probes, the ingress and monitors need it. */}}
{{- define "burgee.path" -}}
{{- $paths := list .Values.basePath (index .Values.env "BASE_URI_PATH") (index .Values.env "BASE_PATH") -}}
{{- range .Values.extraEnv }}
{{- if has .name (list "BASE_URI_PATH" "BASE_PATH") }}
{{- if not (hasKey . "value") }}{{- fail (printf "extraEnv takes %s from elsewhere, where the probes cannot read it: set basePath" .name) }}{{ end }}
{{- $paths = append $paths .value }}
{{- end }}
{{- end }}
{{- $set := list -}}
{{- range compact $paths }}{{- $set = append $set (printf "/%s" (trimAll "/" .)) }}{{ end }}
{{- $set = without (uniq $set) "/" -}}
{{- if gt (len $set) 1 }}{{- fail (printf "the base path is set to several values: %s" (join ", " $set)) }}{{ end }}
{{- first $set | default "" }}
{{- end }}
