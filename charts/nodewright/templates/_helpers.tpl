{{- define "nodewright.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "nodewright.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- $name := include "nodewright.name" . }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "nodewright.selectorLabels" -}}
app.kubernetes.io/name: {{ include "nodewright.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "nodewright.labels" -}}
{{ include "nodewright.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- with .Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "nodewright.metadata" -}}
labels:
  {{- include "nodewright.labels" . | nindent 2 }}
{{- with .Values.additionalAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "nodewright.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "nodewright.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "nodewright.image" -}}
{{- with .Values.controller.image }}
{{- if .digest }}
{{- printf "%s@%s" .repository .digest }}
{{- else }}
{{- printf "%s:%s" .repository (default $.Chart.AppVersion .tag) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The affinity with our own pods for selector where none is named, and the node groups in every term. */ -}}
{{- define "nodewright.affinity" -}}
{{- $affinity := deepCopy .Values.affinity }}
{{- $own := dict "matchLabels" (include "nodewright.selectorLabels" . | fromYaml) }}
{{- $apart := dig "podAntiAffinity" "requiredDuringSchedulingIgnoredDuringExecution" list $affinity }}
{{- range $apart }}
{{- if not .labelSelector }}
{{- $_ := set . "labelSelector" $own }}
{{- end }}
{{- end }}
{{- if .Values.nodeGroups }}
{{- $group := dict "key" "eks.amazonaws.com/nodegroup" "operator" "In" "values" .Values.nodeGroups }}
{{- $terms := dig "nodeAffinity" "requiredDuringSchedulingIgnoredDuringExecution" "nodeSelectorTerms" list $affinity }}
{{- range $terms }}
{{- $_ := set . "matchExpressions" (append (default list .matchExpressions) $group) }}
{{- end }}
{{- end }}
{{- toYaml $affinity }}
{{- end }}

{{- define "nodewright.spread" -}}
{{- $own := dict "matchLabels" (include "nodewright.selectorLabels" . | fromYaml) }}
{{- $constraints := deepCopy .Values.topologySpreadConstraints }}
{{- range $constraints }}
{{- if not .labelSelector }}
{{- $_ := set . "labelSelector" $own }}
{{- end }}
{{- end }}
{{- toYaml $constraints }}
{{- end }}

{{- define "nodewright.gates" -}}
{{- $said := list }}
{{- range $name, $on := . }}
{{- $said = append $said (printf "%s%s=%t" ($name | substr 0 1 | upper) ($name | substr 1 -1) $on) }}
{{- end }}
{{- join "," $said }}
{{- end }}

{{- define "nodewright.environment" -}}
{{- $settings := .Values.settings }}
- name: CLOUD
  value: {{ $settings.cloud | quote }}
{{- if $settings.dryRun }}
- name: DRY_RUN
  value: "true"
{{- end }}
- name: LOG_LEVEL
  value: {{ .Values.logLevel | quote }}
- name: METRICS_PORT
  value: {{ .Values.controller.metrics.port | quote }}
- name: HEALTH_PROBE_PORT
  value: {{ .Values.controller.healthProbe.port | quote }}
{{- if .Values.web.enabled }}
- name: DASHBOARD_PORT
  value: {{ .Values.web.port | quote }}
- name: DASHBOARD_AUTH
  value: {{ .Values.web.auth | quote }}
{{- if eq .Values.web.auth "token" }}
- name: DASHBOARD_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ .Values.web.tokenSecret.name }}
      key: {{ .Values.web.tokenSecret.key }}
{{- end }}
{{- end }}
- name: SYSTEM_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: FEATURE_GATES
  value: {{ include "nodewright.gates" $settings.featureGates | quote }}
- name: AWS_FEATURE_GATES
  value: {{ include "nodewright.gates" $settings.awsFeatureGates | quote }}
{{- range $name, $setting := dict
    "BATCH_MAX_DURATION" "batchMaxDuration"
    "BATCH_IDLE_DURATION" "batchIdleDuration"
    "PREFERENCE_POLICY" "preferencePolicy"
    "MIN_VALUES_POLICY" "minValuesPolicy"
    "CLUSTER_NAME" "clusterName"
    "CLUSTER_ENDPOINT" "clusterEndpoint"
    "CLUSTER_CA_BUNDLE" "clusterCABundle"
    "INTERRUPTION_QUEUE" "interruptionQueue"
    "JOURNAL_S3" "journalS3"
    "VM_MEMORY_OVERHEAD_PERCENT" "vmMemoryOverheadPercent"
    "RESERVED_ENIS" "reservedENIs"
    "AMI_REFRESH_INTERVAL" "amiRefreshInterval"
    "SUBNET_REFRESH_INTERVAL" "subnetRefreshInterval" }}
{{- with get $settings $setting }}
- name: {{ $name }}
  value: {{ . | toString | quote }}
{{- end }}
{{- end }}
{{- range $name, $setting := dict
    "ISOLATED_VPC" "isolatedVPC"
    "EKS_CONTROL_PLANE" "eksControlPlane"
    "ENABLE_ZONAL_SHIFT" "enableZonalShift"
    "DISABLE_DRY_RUN" "disableDryRun"
    "DISABLE_CLUSTER_STATE_OBSERVABILITY" "disableClusterStateObservability" }}
{{- if get $settings $setting }}
- name: {{ $name }}
  value: "true"
{{- end }}
{{- end }}
{{- with .Values.controller.env }}
{{ toYaml . }}
{{- end }}
{{- end }}
