"""A model of kube-scheduler: its queue, filters, scores, preemption and binding."""
