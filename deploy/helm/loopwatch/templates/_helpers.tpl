{{- define "loopwatch.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "loopwatch.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "loopwatch.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "loopwatch.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ default .Chart.AppVersion $image.tag }}
{{- end -}}
{{- end -}}

{{- /* Selector of a component: (dict "root" $ "component" "worker"). */ -}}
{{- define "loopwatch.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "loopwatch.labels" -}}
{{ include "loopwatch.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Port of a component: its setting, or the default of Loopwatch. */ -}}
{{- define "loopwatch.port" -}}
{{- $defaults := dict "worker" 4601 "server" 4600 "gateway" 4610 -}}
{{- dig .component "port" (get $defaults .component) .root.Values.config -}}
{{- end -}}

{{- /* Port for OTLP over gRPC; empty if there is none. */ -}}
{{- define "loopwatch.grpcPort" -}}
{{- if eq .component "server" -}}
{{- dig "server" "otlp_grpc_port" "" .root.Values.config -}}
{{- end -}}
{{- end -}}

{{- /* Whether an autoscaler sets the number of pods, and no number is rendered. */ -}}
{{- define "loopwatch.isScaled" -}}
{{- if ne (get .root.Values .component).autoscaling.type "none" -}}true{{- end -}}
{{- end -}}

{{- /* The configuration file. Programs in the cluster address the server by the names of its Service. */ -}}
{{- define "loopwatch.config" -}}
{{- if not (dig "kafka" "brokers" list .Values.config) -}}
{{- fail "config.kafka.brokers: set the brokers, as in --set 'config.kafka.brokers={kafka:9092}'" -}}
{{- end -}}
{{- if and .Values.gateway.enabled (not (dig "gateway" "upstream" "" .Values.config)) -}}
{{- fail "config.gateway.upstream: set the base URL of the model API, or gateway.enabled=false" -}}
{{- end -}}
{{- $config := deepCopy .Values.config -}}
{{- $name := printf "%s-server" (include "loopwatch.fullname" .) -}}
{{- $names := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) -}}
{{- $server := default dict $config.server -}}
{{- $_ := set $server "allowed_hosts" (concat (default list $server.allowed_hosts) $names) -}}
{{- $_ := set $config "server" $server -}}
{{- toYaml $config -}}
{{- end -}}

{{- /* Environment variable from a Secret: (dict "root" $ "name" "DATABASE_URL" "optional" true). */ -}}
{{- define "loopwatch.secretEnv" -}}
{{- $from := get .root.Values.secrets.from .name -}}
{{- $secret := .root.Values.secrets.existingSecret -}}
{{- if or $from $secret }}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ dig "name" $secret (default dict $from) }}
      key: {{ dig "key" .name (default dict $from) }}
      {{- if and .optional (not $from) }}
      optional: true
      {{- end }}
{{- else if not .optional }}
{{- $why := ternary ", which all servers and gateways share" "" (eq .name "DATABASE_URL") }}
{{- fail (printf "secrets.existingSecret: name a Secret with the key %s%s, or set secrets.from.%s" .name $why .name) }}
{{- end }}
{{- end -}}
