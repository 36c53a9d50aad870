{{- define "burgee.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 53 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "burgee.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
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
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: burgee
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
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
        {{- if eq .Values.mode "relay" }}
        - name: PORT
          value: "4242"
        - name: UPSTREAM_URL
          value: {{ required "relay.upstreamUrl says what the relay stands in front of" .Values.relay.upstreamUrl | quote }}
        - name: BACKUP_FOLDER
          value: /data
        {{- else }}
        - name: HTTP_PORT
          value: "4242"
        - name: DATA_DIR
          value: /data
        {{- end }}
        - name: TRUSTED_PROXIES
          value: {{ .Values.trustedProxies | quote }}
        {{- if eq .Values.mode "replicas" }}
        {{- if .Values.redis.url }}
        - name: REDIS_URL
          value: {{ .Values.redis.url | quote }}
        {{- else if not .Values.existingSecret }}
        {{- fail "replicas need redis.url, or REDIS_URL in existingSecret" }}
        {{- end }}
        - name: REDIS_STRICT
          value: {{ .Values.redis.strict | quote }}
        {{- end }}
        {{- range $name, $value := .Values.env }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      {{- with .Values.existingSecret }}
      envFrom:
        - secretRef:
            name: {{ . }}
      {{- end }}
      {{- /* Lets the service be told everywhere before connections end: endpoints are withdrawn while it sleeps. */}}
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
{{- end }}

{{- define "burgee.path" -}}
{{- $path := index .Values.env "BASE_URI_PATH" | default (index .Values.env "BASE_PATH") | default "" -}}
{{- if $path }}/{{ trimAll "/" $path }}{{ end }}
{{- end }}
