"""Kubernetes API servers: raw JSON over the official client's connection and credentials.

cluster = KubernetesCluster.from_kubeconfig(Path("~/.kube/config"), "east")
"""

from hive.shells.kubernetes.cluster import KubernetesCluster
from hive.shells.kubernetes.kubeconfig import ContextEntry, contexts, kubeconfig_path

__all__ = ["ContextEntry", "KubernetesCluster", "contexts", "kubeconfig_path"]
