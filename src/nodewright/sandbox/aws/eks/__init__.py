"""EKS: what moto's clusters lack, from the cluster security group to pod identity."""
