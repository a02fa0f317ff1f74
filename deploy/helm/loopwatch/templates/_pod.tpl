{{- /*
The pod of a component.
(dict "root" $ "component" "worker" "secrets" (list …) "required" (list …))
*/ -}}
{{- define "loopwatch.pod" -}}
{{- $values := get .root.Values .component -}}
{{- $port := include "loopwatch.port" . -}}
metadata:
  labels:
    {{- include "loopwatch.labels" . | nindent 4 }}
  annotations:
    checksum/config: {{ include "loopwatch.config" .root | sha256sum }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "loopwatch.serviceAccount" .root }}
  automountServiceAccountToken: false
  # Variables that Kubernetes derives from Services, such as LOOPWATCH_SERVER_PORT, would be read as settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
  securityContext:
    {{- toYaml .root.Values.podSecurityContext | nindent 4 }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "loopwatch.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: [{{ .component }}]
      securityContext:
        {{- toYaml .root.Values.securityContext | nindent 8 }}
      ports:
        - name: http
          containerPort: {{ $port }}
        {{- with include "loopwatch.grpcPort" . }}
        - name: otlp-grpc
          containerPort: {{ . }}
        {{- end }}
      env:
        - name: LOOPWATCH_CONFIG
          value: /etc/loopwatch/loopwatch.yaml
        {{- if eq .component "worker" }}
        - name: LOOPWATCH_KAFKA_INSTANCE_ID
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        {{- end }}
        {{- include "loopwatch.nodeEnv" . | nindent 8 }}
        {{- $root := .root }}
        {{- range .required }}
        {{- include "loopwatch.secretEnv" (dict "root" $root "name" . "optional" false) | nindent 8 }}
        {{- end }}
        {{- range (concat (list "LOOPWATCH_KAFKA_SASL_PASSWORD" "LOOPWATCH_KAFKA_SASL_OAUTHBEARER_CLIENT_SECRET" "LOOPWATCH_KAFKA_SSL_KEY_PASSWORD") .secrets) }}
        {{- include "loopwatch.secretEnv" (dict "root" $root "name" . "optional" true) | nindent 8 }}
        {{- end }}
        {{- with $root.Values.openTelemetry.endpoint }}
        - name: OTEL_EXPORTER_OTLP_ENDPOINT
          value: {{ . | quote }}
        {{- range $name, $value := $root.Values.openTelemetry.env }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- include "loopwatch.secretEnv" (dict "root" $root "name" "OTEL_EXPORTER_OTLP_HEADERS" "optional" true) | nindent 8 }}
        {{- end }}
        {{- with $values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      # Loads for a few seconds; a process that cannot reach Kafka or its database stays alive and is not ready.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
      {{- if ne .component "worker" }}
      # Clients are no longer sent here by the time the process stops.
      lifecycle:
        preStop:
          exec: { command: [sleep, "5"] }
      {{- end }}
      resources:
        {{- include "loopwatch.resources" . | nindent 8 }}
      volumeMounts:
        {{- include "loopwatch.volumeMounts" .root | nindent 8 }}
  volumes:
    {{- include "loopwatch.volumes" (dict "root" .root "config" (include "loopwatch.fullname" .root)) | nindent 4 }}
  {{- include "loopwatch.scheduling" . | nindent 2 }}
{{- end -}}

{{- define "loopwatch.volumeMounts" -}}
- name: config
  mountPath: /etc/loopwatch/loopwatch.yaml
  subPath: loopwatch.yaml
  readOnly: true
- name: tmp
  mountPath: /tmp
- name: data
  mountPath: /var/lib/loopwatch
{{- if .Values.secrets.kafkaTls }}
- name: kafka-tls
  mountPath: /etc/loopwatch/kafka
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "loopwatch.volumes" -}}
- name: config
  configMap:
    name: {{ .config }}
- name: tmp
  emptyDir: {}
- name: data
  emptyDir: {}
{{- with .root.Values.secrets.kafkaTls }}
- name: kafka-tls
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
