{{- /* A quantity of Kubernetes as a number, such as 1Gi: (dict "quantity" "1Gi" "path" "worker.resources.limits.memory"). */ -}}
{{- define "loopwatch.quantity" -}}
{{- $text := toString .quantity -}}
{{- $number := regexFind "^[0-9.]+([eE][+-]?[0-9]+)?" $text -}}
{{- $unit := trimPrefix $number $text -}}
{{- $binary := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 -}}
{{- $units := merge (dict "" 1 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15) $binary -}}
{{- if or (not $number) (not (hasKey $units $unit)) -}}
{{- fail (printf "%s: %q is not a quantity of Kubernetes, such as 500m or 1Gi" .path $text) -}}
{{- end -}}
{{- mulf (float64 $number) (float64 (get $units $unit)) -}}
{{- end -}}

{{- /* The resources of a component, checked: Kubernetes would accept the objects, but no pod would start. */ -}}
{{- define "loopwatch.resources" -}}
{{- $path := printf "%s.resources" .component -}}
{{- $resources := (get .root.Values .component).resources -}}
{{- $limits := default dict $resources.limits -}}
{{- range $name, $request := default dict $resources.requests -}}
{{- with get $limits $name -}}
{{- $requested := include "loopwatch.quantity" (dict "quantity" $request "path" (printf "%s.requests.%s" $path $name)) | float64 -}}
{{- $limit := include "loopwatch.quantity" (dict "quantity" . "path" (printf "%s.limits.%s" $path $name)) | float64 -}}
{{- if gt $requested $limit -}}
{{- fail (printf "%s.requests.%s: %v is more than the limit of %v; lower the request or raise the limit" $path $name $request .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- /* Idle, a process takes about 145 MB; a worker that reads a backlog 250 MB, even with a small heap. The job takes 90 MB. */ -}}
{{- $least := get (dict "worker" "512Mi" "server" "256Mi" "gateway" "256Mi" "topics" "128Mi") .component -}}
{{- with $limits.memory -}}
{{- $bytes := include "loopwatch.quantity" (dict "quantity" . "path" (printf "%s.limits.memory" $path)) | float64 -}}
{{- if lt $bytes (include "loopwatch.quantity" (dict "quantity" $least "path" "") | float64) -}}
{{- fail (printf "%s.limits.memory: %v is too little; set at least %s" $path . $least) -}}
{{- end -}}
{{- end -}}
{{- toYaml $resources -}}
{{- end -}}

{{- /* Node's options: 60% of the memory limit for the heap, unless they set it. */ -}}
{{- define "loopwatch.nodeOptions" -}}
{{- $values := get .root.Values .component -}}
{{- $options := splitList " " $values.nodeOptions | compact -}}
{{- with dig "limits" "memory" "" $values.resources -}}
{{- if not (contains "--max-old-space-size" $values.nodeOptions) -}}
{{- $bytes := include "loopwatch.quantity" (dict "quantity" . "path" (printf "%s.resources.limits.memory" $.component)) | float64 -}}
{{- $options = prepend $options (printf "--max-old-space-size=%.0f" (divf (mulf $bytes 0.6) 1048576 | floor)) -}}
{{- end -}}
{{- end -}}
{{- join " " $options -}}
{{- end -}}

{{- /* The environment variable with Node's options, if there are any. */ -}}
{{- define "loopwatch.nodeEnv" -}}
{{- with include "loopwatch.nodeOptions" . }}
- name: NODE_OPTIONS
  value: {{ . | quote }}
{{- end }}
{{- end -}}

{{- /* Where the pods of a component run. */ -}}
{{- define "loopwatch.scheduling" -}}
{{- $values := get .root.Values .component -}}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml $values.topologySpreadConstraints | nindent 2 }}
{{- else if ne .component "topics" }}
topologySpreadConstraints:
  {{- $scope := . }}
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "loopwatch.selector" $scope | nindent 8 }}
  {{- end }}
{{- end }}
{{- end -}}
